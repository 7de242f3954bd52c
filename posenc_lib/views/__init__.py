"""Floor 2: arrays in, artists out. A view draws once, then updates."""

from posenc_lib.views.curve import DotProductCurve
from posenc_lib.views.heatmap import Heatmap
from posenc_lib.views.matrix import SimilarityMatrix
from posenc_lib.views.panel import Panel
from posenc_lib.views.trajectory import Trajectory, Trajectory3D
from posenc_lib.views.view import View

VIEWS: dict[str, type[View]] = {
    view.name: view for view in (Trajectory, Trajectory3D, Heatmap, DotProductCurve, SimilarityMatrix)
}

__all__ = ["VIEWS", "DotProductCurve", "Heatmap", "Panel", "SimilarityMatrix", "Trajectory", "Trajectory3D", "View"]
