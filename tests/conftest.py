"""Random examples: the same every time in CI, so that a change is judged by itself; new ones on a developer's machine."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("default", settings.get_profile("default"), deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "default")
