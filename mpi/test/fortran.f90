! Sums by the interface of mpif.h and "use mpi", compared with what they must be.
program fortran
  use mpi
  implicit none
  integer :: rank, ranks, code
  double precision :: from(3), to(3)
  integer :: counts(2)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  from = [1d0, 2d0, 3d0]
  call MPI_Allreduce(from, to, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
  if (code /= MPI_SUCCESS .or. any(to /= ranks * from)) stop 'fortran: a wrong sum'
  counts = [rank, -rank]
  call MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, code)
  if (code /= MPI_SUCCESS .or. any(counts /= [ranks - 1, 0])) stop 'fortran: a wrong maximum'
  call MPI_Finalize(code)
end program
