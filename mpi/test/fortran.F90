! Calls of Fortran, by "use mpi" or with -DF08 by "use mpi_f08", with the constants that it knows by
! their addresses, and results compared with what they must be. The library takes four blocking
! calls, and with Open MPI a nonblocking one.
#ifdef F08
#define MODULE mpi_f08
#define HANDLE(kind) type(kind)
#define CODE
#define FINAL
#else
#define MODULE mpi
#define HANDLE(kind) integer
#define CODE , code
#define FINAL code
#endif

module operations
  use, intrinsic :: iso_c_binding
  use MODULE
  implicit none
  integer :: code
  HANDLE(MPI_Comm) :: copy
contains
  ! add is an operation on a datatype of three numbers at an absolute address: MPI libraries pass
  ! pointers from which its displacements count.
  subroutine add(left, right, count, kind)
    type(c_ptr), value :: left, right
    integer :: count
    HANDLE(MPI_Datatype) :: kind
    integer(MPI_ADDRESS_KIND) :: low, extent
    double precision, pointer :: a(:), b(:)
    call MPI_Type_get_true_extent(kind, low, extent CODE)
    call c_f_pointer(transfer(transfer(left, low) + low, left), a, [3 * count])
    call c_f_pointer(transfer(transfer(right, low) + low, right), b, [3 * count])
    b = a + b
  end subroutine

  ! sum_at sums when the copy deletes an attribute. Open MPI 4.1 passes another communicator.
  subroutine sum_at(comm, key, value, state, error)
    HANDLE(MPI_Comm) :: comm
    integer :: key, error
    integer(MPI_ADDRESS_KIND) :: value, state
    call sum_on_copy
    error = MPI_SUCCESS
  end subroutine

  subroutine sum_on_copy
    integer :: ones, ranks
    call MPI_Comm_size(copy, ranks CODE)
    ones = 1
    call MPI_Allreduce(MPI_IN_PLACE, ones, 1, MPI_INTEGER, MPI_SUM, copy CODE)
    call check(ones == ranks, 'on a copy')
  end subroutine

  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    print *, 'fortran: a wrong result ', what
    call MPI_Abort(MPI_COMM_WORLD, 1 CODE)
  end subroutine
end module

program fortran
  use operations
  implicit none
  integer :: rank, ranks, provided, mine(2), theirs, key, i
  double precision :: from(3), to(3)
  double precision, target, save :: absolute(3)
  real(8) :: real8(2)
  integer(8) :: integer8(2)
  integer(MPI_ADDRESS_KIND) :: address(1)
  HANDLE(MPI_Datatype) :: kind
  HANDLE(MPI_Op) :: op
  HANDLE(MPI_Request) :: request

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided CODE)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank CODE)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks CODE)
  from = [1d0, 2d0, 3d0]
  call MPI_Allreduce(from, to, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD CODE)
  call check(all(to == ranks * from), 'of two vectors')
  mine = [rank, -rank]
  call MPI_Allreduce(MPI_IN_PLACE, mine, 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD CODE)
  call check(all(mine == [ranks - 1, 0]), 'in place')
  real8 = rank
  call MPI_Allreduce(MPI_IN_PLACE, real8, 2, MPI_REAL8, MPI_MAX, MPI_COMM_WORLD CODE)
  call check(all(real8 == ranks - 1), 'of MPI_REAL8')
  integer8 = rank
  call MPI_Allreduce(MPI_IN_PLACE, integer8, 2, MPI_INTEGER8, MPI_MAX, MPI_COMM_WORLD CODE)
  call check(all(integer8 == ranks - 1), 'of MPI_INTEGER8')
  mine = [rank, -rank]
  call MPI_Iallreduce(MPI_IN_PLACE, mine, 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request CODE)
  call MPI_Wait(request, MPI_STATUS_IGNORE CODE)
  call check(all(mine == [ranks - 1, 0]), 'of a request')

  call MPI_Get_address(absolute, address(1) CODE)
  call MPI_Type_create_hindexed(1, [3], address, MPI_DOUBLE_PRECISION, kind CODE)
  call MPI_Type_commit(kind CODE)
  call MPI_Op_create(add, .true., op CODE)
  absolute = rank
  call MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, kind, op, MPI_COMM_WORLD CODE)
  call check(all(absolute == ranks * (ranks - 1) / 2), 'at MPI_BOTTOM')
  absolute = rank
  call MPI_Allreduce(MPI_BOTTOM, MPI_BOTTOM, 0, kind, op, MPI_COMM_WORLD CODE)
  call check(all(absolute == rank), 'of nothing')
  call MPI_Barrier(MPI_COMM_WORLD CODE)
  call MPI_Op_free(op CODE)
  call MPI_Type_free(kind CODE)

  call MPI_Sendrecv(rank, 1, MPI_INTEGER, rank, 0, theirs, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE CODE)
  call check(theirs == rank, 'without a status')

  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, sum_at, key, 0_MPI_ADDRESS_KIND CODE)
  do i = 1, 2
    call MPI_Comm_dup(MPI_COMM_WORLD, copy CODE)
    call MPI_Comm_set_attr(copy, key, 0_MPI_ADDRESS_KIND CODE)
    call sum_on_copy
    if (i == 1) call MPI_Comm_free(copy CODE)
    if (i == 2) call MPI_Comm_disconnect(copy CODE)
    call check(copy == MPI_COMM_NULL, 'of a communicator that is freed')
  end do
  call MPI_Finalize(FINAL)
end program
