from spack.package import *

try:  # since Spack 1.0 build systems belong to the repository of packages
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass


class JitterflyMpi(MakefilePackage):
    """Redundant exchanges in MPI_Allreduce and MPI_Barrier by a preload library, with a benchmark.

    It is built from a clone: spack dev-build --source-path CLONE jitterfly-mpi@main
    """

    version("main")

    depends_on("c", type="build")
    depends_on("mpi")
    depends_on("pkgconfig", type="run")

    build_directory = "mpi"

    @property
    def build_targets(self):
        # The clone may have a build for another MPI library.
        return [f"MPICC={self.spec['mpi'].mpicc}", f"OUT=build/{self.spec.dag_hash()}"]

    @property
    def install_targets(self):
        return ["install", f"PREFIX={self.prefix}", *self.build_targets]

    def setup_run_environment(self, env):
        env.set("JITTERFLY_MPI_LIBRARY", join_path(self.prefix.lib, "libjitterfly-mpi.so"))
