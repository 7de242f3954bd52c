"""All records in one place, and the public names that need one."""

from hypothesis import HealthCheck, Phase, settings

import posenc_lib as pe
from tests.trust import arguments_positions, arguments_vectors

OTHERS = {"check", "hint", "solution", "scorecard", "explore", "figure", "playground", "present"}  # lessons and panels
PUBLIC = sorted(set(pe.__all__) - OTHERS)
RECORDS = arguments_positions.RECORDS | arguments_vectors.RECORDS
FUZZ = settings(
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # a failure is told at once; to look for a smaller one takes minutes
    suppress_health_check=list(HealthCheck),
)
