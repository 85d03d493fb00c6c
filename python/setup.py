"""Tags the wheel with the platform of the program inside it. Everything else stands in pyproject.toml.

The environment variable LIKC_PLATFORM names the platform, such as manylinux_2_17_x86_64 or macosx_11_0_arm64.
"""

import os

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel


class PlatformWheel(bdist_wheel):
    """A wheel for any Python 3 on one platform."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        platform = os.environ.get("LIKC_PLATFORM") or super().get_tag()[2]
        return "py3", "none", platform


setup(cmdclass={"bdist_wheel": PlatformWheel})
