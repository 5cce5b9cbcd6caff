// Every function comes twice, for 16 and for 8 numbers at a time, from one macro
// that is given the registers and their size in bytes. All run over whole
// registers: the lengths of the slices are equal and a multiple of that.
//
// AX: bytes done.  CX: numbers, then bytes, to do.

#define BEGIN \
	XORL AX, AX; \
	SHLQ $2, CX; \
	JEQ  done

#define NEXT(SIZE) \
	ADDQ $SIZE, AX; \
	CMPQ AX, CX; \
	JLT  loop
