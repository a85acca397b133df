# Makes the functions of calls.table: awk -f calls.awk calls.table >calls.c
#
# A collective has one function that does what its functions of C and Fortran do. What it names is in
# collectives.h.

BEGIN {
	FS = " *[|] *"
	split("from to count counts places offsets type types op root comm to_count to_counts to_places " \
		"to_offsets to_type to_types", names, " ")
	for (i in names)
		describe(names[i], names[i])
	print "/* Made by calls.awk of calls.table. */"
	print "#include \"collectives.h\""
}

# describe sets the types of a parameter: of functions of C, of those of large counts, and of Fortran with
# what it is in C.
function describe(name, what) {
	sub(/^to_/, "", what)
	if (what == "from" || what == "to") {
		c[name] = l[name] = (what == "from" ? "const void *" : "void *") name
		fortran[name] = "void *" name
		in_c[name] = "buffer(" name ")"
	} else if (what ~ /^(counts|places|offsets)$/) {
		c[name] = "const " (what == "offsets" ? "MPI_Aint " : "int ") name "[]"
		l[name] = "const " (what == "counts" ? "MPI_Count " : "MPI_Aint ") name "[]"
		fortran[name] = "const MPI_Fint *" name
		in_c[name] = "ints(" name ", copied, &copy)"
	} else if (what == "count" || what == "root") {
		c[name] = "int " name
		l[name] = (what == "count" ? "MPI_Count " : "int ") name
		fortran[name] = "const MPI_Fint *" name
		in_c[name] = "(int)*" name
	} else {
		split("type MPI_Datatype Type types MPI_Datatype - op MPI_Op Op comm MPI_Comm Comm", kinds, " ")
		for (k = 1; kinds[k] != what; k += 3)
			;
		c[name] = l[name] = (what == "types" ? "const " : "") kinds[k + 1] " " name (what == "types" ? "[]" : "")
		fortran[name] = "const MPI_Fint *" name
		in_c[name] = "PMPI_" kinds[k + 2] "_f2c(*" name ")"
	}
}

# list returns the parameters of a collective by an array that describes them, and plain their names.
function list(way,   i, text) {
	for (i = 1; i <= n; i++)
		text = text (i > 1 ? ", " : "") way[parameters[i]]
	return text
}
function plain(   i, text) {
	for (i = 1; i <= n; i++)
		text = text (i > 1 ? ", " : "") parameters[i]
	return text
}

# body prints what a collective does in one of its ways: native is the call of the MPI library, take the
# condition that a rule takes it, added what its kind has more, and note what is done with a call that
# succeeded.
function body(native, take, added, note) {
	print "\tint code = MPI_SUCCESS;"
	print "\tuint64_t entry = record_entry();"
	print "\tconst bool redundant = " (take ? "communicators_taking() && " take : "false") ";"
	print "\tif (!redundant)\n\t\tcode = " native ";"
	print "\tif (entry && code == MPI_SUCCESS) {"
	print "\t\tstruct called called = {"
	print "\t\t    .entry = entry, .exit = record_clock(), .site = site, .comm = comm, .op = " operation "};"
	print "\t\tcalled.bytes = " bytes ";"
	print "\t\tcalled.kind = " kind added " | (redundant ? REDUNDANT : 0);"
	print "\t\t" note ";\n\t}\n\treturn code;\n}\n"
}

# taking returns the condition that a rule takes a collective, which is called in a manner.
function taking(manner, request) {
	return taken == "" ? "" : taken "_take(" manner ", " plain() ", " request ", &code)"
}

# functions prints the functions of C with a suffix of their names, by the types of their parameters.
function functions(way, suffix,   lower) {
	lower = tolower(name) suffix
	print "INLINE int do_" lower "(const void *site, " list(way) ") {"
	body("PMPI_" name suffix "(" plain() ")", taking("BLOCKING", "NULL"), "", "record_call(&called, NULL)")
	print "EXPORT int MPI_" name suffix "(" list(way) ") {"
	print "\treturn do_" lower "(__builtin_return_address(0), " plain() ");\n}\n"
	print "INLINE int do_i" lower "(const void *site, " list(way) ", MPI_Request *request) {"
	body("PMPI_I" lower "(" plain() ", request)", taking("NONBLOCKING", "request"), " | STARTED",
		"completion_start(*request, &called)")
	print "EXPORT int MPI_I" lower "(" list(way) ", MPI_Request *request) {"
	print "\treturn do_i" lower "(__builtin_return_address(0), " plain() ", request);\n}\n"
	print "#ifdef PERSISTENT_NAME"
	print "EXPORT int PERSISTENT_NAME(MPI, " name "_init" suffix ")(" list(way) ", MPI_Info info, MPI_Request *request) {"
	print "\tconst void *site = NULL;"
	body("PERSISTENT_NAME(PMPI, " name "_init" suffix ")(" plain() ", info, request)", taking("PERSISTENT", "request"), " | STARTED",
		"completion_persistent(*request, &called)")
	print "#endif\n"
}

# of_fortran prints the functions of Fortran. Integers of Fortran may be longer than those of C: then
# arrays of counts are copied, for calls that end before the copies.
function of_fortran(   lower, arrays) {
	lower = tolower(name)
	arrays = list(c) ~ /\[\]/
	print "FORTRAN(" lower ", " list(fortran) ", MPI_Fint *code) {"
	if (arrays) {
		print "\tunsigned copied = sizeof(MPI_Fint) > sizeof(int) ? " (bytes ~ /ours/ ? "ours" : "others") "(PMPI_Comm_f2c(*comm)) : 0;"
		print "\tint copies[4 * copied + 1], *copy = copies;"
	}
	print "\tset(code, do_" lower "(__builtin_return_address(0), " list(in_c) "));\n}\n"
	if (arrays)
		return
	print "FORTRAN(i" lower ", " list(fortran) ", MPI_Fint *request, MPI_Fint *code) {"
	print "\tMPI_Request started = MPI_REQUEST_NULL;"
	print "\tint result = do_i" lower "(__builtin_return_address(0), " list(in_c) ", &started);"
	print "\tstarted_by_fortran(result, started, request);"
	print "\tset(code, result);\n}\n"
}

# of_f08 prints the function by which "use mpi_f08" of MPICH calls what has no vector.
function of_f08(   lower) {
	lower = tolower(name)
	print "EXPORT void mpi_" lower "_f08_(" list(fortran) ", MPI_Fint *code);"
	print "void mpi_" lower "_f08_(" list(fortran) ", MPI_Fint *code) {"
	print "\tset(code, do_" lower "(__builtin_return_address(0), " list(in_c) "));\n}\n"
}

# arguments returns the names of the parameters of a prototype.
function arguments(prototype) {
	gsub(/\[\]/, "", prototype)
	gsub(/[^,]*[ *]/, " ", prototype)
	return substr(prototype, 2)
}

# completing prints a function that completes requests.
function completing(name, count, requests, completed, indices, prototype) {
	print "EXPORT int MPI_" name "(" prototype ") {"
	print "\tif (!completing_any())\n\t\treturn PMPI_" name "(" arguments(prototype) ");"
	print "\tstruct completing c;"
	print "\tcompleting_begin(&c, " count ", " requests ", 0, __builtin_return_address(0));"
	print "\tint code = PMPI_" name "(" arguments(prototype) ");"
	print "\tcompleting_end(&c, code, code == MPI_SUCCESS ? (" completed ") : 0, " indices ");"
	print "\treturn code;\n}\n"
}

# other prints a function that is recorded, of what has the ranks: a communicator, or a window or a file,
# which it may free.
function other(name, kind, of, prototype,   freed) {
	freed = sub(/^[*]/, "", of) ? "*" : ""
	print "EXPORT int MPI_" name "(" prototype ") {"
	if (of != "comm")
		print "\tuint32_t number = number_of_" of "(" freed of ");"
	if (freed)
		print "\tuint64_t handle = (uint64_t)(uintptr_t)" freed of ";"
	print "\tuint64_t entry = record_entry();"
	print "\tint code = PMPI_" name "(" arguments(prototype) ");"
	print "\tif (entry && code == MPI_SUCCESS)"
	print "\t\twaited(" kind ", " (of == "comm" ? "comm, 0" : "MPI_COMM_NULL, number") \
		", entry, __builtin_return_address(0));"
	if (freed)
		print "\tif (entry && code == MPI_SUCCESS)\n\t\trecord_forget(handle);"
	print "\treturn code;\n}\n"
}

/^#/ || NF < 4 { next }
NF == 4 { other($1, $2, $3, $4); next }
/MPI_Request/ { completing($1, $2, $3, $4, $5, $6); next }
{
	name = $1; taken = $2; kind = $3; operation = $4; bytes = $5
	n = split($6, parameters, " ")
	functions(c, "")
	if (name == "Barrier") {
		print "#ifndef OPEN_MPI"
		of_f08()
		print "#endif\n"
	} else {
		print "#if MPI_VERSION >= 4"
		functions(l, "_c")
		print "#endif\n"
	}
	if ($6 !~ /types|Neighbor/) {
		print "#ifdef OPEN_MPI"
		of_fortran()
		print "#endif\n"
	}
}
