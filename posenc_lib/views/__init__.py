"""Floor 2: arrays in, artists out. A view draws once, then updates."""

from posenc_lib.views.attend import Outputs, Weights
from posenc_lib.views.attended import Attended
from posenc_lib.views.forms import Forms
from posenc_lib.views.heads import HeadBiases, Rulers
from posenc_lib.views.lengths import AgainstLength, Steps
from posenc_lib.views.panel import Panel
from posenc_lib.views.permutation import Permutation
from posenc_lib.views.points import ClosestPair, Cube, NumberLine, Trajectory, Trajectory3D
from posenc_lib.views.practice import Buggy, Ported, Precision
from posenc_lib.views.rows_read import RowsRead, Staircase
from posenc_lib.views.scores import AdditiveScores, DotProductCurve, ScoreByOffset, SimilarityMatrix
from posenc_lib.views.tables import Added, Heatmap, Odometer, TokenCosine
from posenc_lib.views.terms import Terms
from posenc_lib.views.turns import Shifted, ShiftMatrix
from posenc_lib.views.vectors import Basis, Vectors
from posenc_lib.views.view import View
from posenc_lib.views.waves import Clock, KernelByBase, Wavelengths, WavelengthsByBase, Waves

VIEWS: dict[str, type[View]] = {
    view.name: view
    for view in (
        Trajectory,
        Trajectory3D,
        Cube,
        ClosestPair,
        NumberLine,
        Heatmap,
        Odometer,
        Waves,
        Clock,
        Wavelengths,
        WavelengthsByBase,
        Steps,
        AgainstLength,
        TokenCosine,
        Added,
        DotProductCurve,
        SimilarityMatrix,
        ScoreByOffset,
        KernelByBase,
        ShiftMatrix,
        Shifted,
        Vectors,
        Basis,
        AdditiveScores,
        Forms,
        Weights,
        Outputs,
        Attended,
        RowsRead,
        Staircase,
        Terms,
        HeadBiases,
        Rulers,
        Permutation,
        Ported,
        Buggy,
        Precision,
    )
}

__all__ = ["VIEWS", "Panel", "View"]
