"""Floor 2: arrays in, artists out. A view draws once, then updates."""

from posenc_lib.views.added import Added
from posenc_lib.views.against_length import AgainstLength
from posenc_lib.views.attention import AttentionRow, AttentionWeights, Outputs
from posenc_lib.views.by_base import KernelByBase, WavelengthsByBase
from posenc_lib.views.by_offset import ScoreByOffset
from posenc_lib.views.checkpoints import CheckpointPort, Permutation, Precision, RopeBugs
from posenc_lib.views.clock import Clock
from posenc_lib.views.curve import DotProductCurve
from posenc_lib.views.heatmap import Heatmap
from posenc_lib.views.matrix import AddedScores, SimilarityMatrix
from posenc_lib.views.odometer import Odometer
from posenc_lib.views.panel import Panel
from posenc_lib.views.points import ClosestPair, Cube, NumberLine, Trajectory, Trajectory3D
from posenc_lib.views.relative import AttentionSpan, BucketByOffset, BucketMap, HeadBiases, ScoreTerms
from posenc_lib.views.rotation import Basis, RopeForms, Shifted, ShiftMatrix, Vectors
from posenc_lib.views.steps import Steps
from posenc_lib.views.view import View
from posenc_lib.views.wavelengths import Wavelengths
from posenc_lib.views.waves import Waves
from posenc_lib.views.word_left import WordLeft

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
        WordLeft,
        Added,
        DotProductCurve,
        SimilarityMatrix,
        ScoreByOffset,
        KernelByBase,
        ShiftMatrix,
        Shifted,
        Vectors,
        Basis,
        AddedScores,
        RopeForms,
        AttentionWeights,
        Outputs,
        AttentionRow,
        BucketMap,
        BucketByOffset,
        ScoreTerms,
        HeadBiases,
        AttentionSpan,
        Permutation,
        CheckpointPort,
        RopeBugs,
        Precision,
    )
}

__all__ = ["VIEWS", "Panel", "View"]
