#include "textflag.h"

// Tiles of 6 and 3 rows by 16 columns. Y12 and Y13 hold a row of b, Y14 and Y15
// an element of a each, spread out, and the rest the sums: Y(2i) and Y(2i+1) are
// row i of c.
//
// R8, R9: a at rows 0 and 3.  R12: one row of a.  R11: one step of k in a.
// SI: b.  DI: c.  DX: one row of c.  CX: k.

// Adds three rows of a, of which A is the first, times the row of b.
#define THREE(A, S0, S1, S2, S3, S4, S5) \
	VBROADCASTSS (A), Y14; \
	VBROADCASTSS (A)(R12*1), Y15; \
	VFMADD231PS  Y12, Y14, S0; \
	VFMADD231PS  Y13, Y14, S1; \
	VBROADCASTSS (A)(R12*2), Y14; \
	VFMADD231PS  Y12, Y15, S2; \
	VFMADD231PS  Y13, Y15, S3; \
	VFMADD231PS  Y12, Y14, S4; \
	VFMADD231PS  Y13, Y14, S5; \
	ADDQ         R11, A

#define ROW_OF_B(N) \
	VMOVUPS (64*N)(SI), Y12; \
	VMOVUPS (64*N+32)(SI), Y13

#define STEP3(N) \
	ROW_OF_B(N); \
	THREE(R8, Y0, Y1, Y2, Y3, Y4, Y5)

#define STEP6(N) \
	STEP3(N); \
	THREE(R9, Y6, Y7, Y8, Y9, Y10, Y11)

// Runs over k, four steps at a time.
#define RUN(STEP) \
	SUBQ $4, CX; \
	JLT  rest; \
four: \
	STEP(0); \
	STEP(1); \
	STEP(2); \
	STEP(3); \
	ADDQ $256, SI; \
	SUBQ $4, CX; \
	JGE  four; \
rest: \
	ADDQ $4, CX; \
	JEQ  done; \
one: \
	STEP(0); \
	ADDQ $64, SI; \
	DECQ CX; \
	JNE  one; \
done:

#define CLEAR(S0, S1) \
	VXORPS S0, S0, S0; \
	VXORPS S1, S1, S1; \
	PREFETCHT0 (BX); \
	ADDQ DX, BX

// Writes a row of c and goes to the next.
#define SET(S0, S1) \
	VMOVUPS S0, (DI); \
	VMOVUPS S1, 32(DI); \
	ADDQ    DX, DI

#define ADD(S0, S1) \
	VADDPS (DI), S0, S0; \
	VADDPS 32(DI), S1, S1; \
	SET(S0, S1)

#define ROWS3(OP) \
	OP(Y0, Y1); \
	OP(Y2, Y3); \
	OP(Y4, Y5)

#define ROWS6(OP) \
	ROWS3(OP); \
	OP(Y6, Y7); \
	OP(Y8, Y9); \
	OP(Y10, Y11)

#define STORE(ROWS) \
	TESTL   AX, AX; \
	JNE     sum; \
	ROWS(SET); \
	VZEROUPPER; \
	RET; \
sum: \
	ROWS(ADD); \
	VZEROUPPER; \
	RET

#define ADDRESS \
	SHLQ $2, R12; \
	SHLQ $2, R11; \
	SHLQ $2, DX; \
	LEAQ (R12)(R12*2), R9; \
	ADDQ R8, R9; \
	MOVQ DI, BX

// func avx2Tile6(k int, a []float32, row, step int, b, c []float32, cStride int, add bool)
TEXT ·avx2Tile6(SB), NOSPLIT, $0-105
	MOVQ k+0(FP), CX
	MOVQ a_base+8(FP), R8
	MOVQ row+32(FP), R12
	MOVQ step+40(FP), R11
	MOVQ b_base+48(FP), SI
	MOVQ c_base+72(FP), DI
	MOVQ cStride+96(FP), DX
	ADDRESS
	ROWS6(CLEAR)
	RUN(STEP6)
	MOVBLZX add+104(FP), AX
	STORE(ROWS6)

// func avx2Tile3(k int, a []float32, row, step int, b, c []float32, cStride int, add bool)
TEXT ·avx2Tile3(SB), NOSPLIT, $0-105
	MOVQ k+0(FP), CX
	MOVQ a_base+8(FP), R8
	MOVQ row+32(FP), R12
	MOVQ step+40(FP), R11
	MOVQ b_base+48(FP), SI
	MOVQ c_base+72(FP), DI
	MOVQ cStride+96(FP), DX
	ADDRESS
	ROWS3(CLEAR)
	RUN(STEP3)
	MOVBLZX add+104(FP), AX
	STORE(ROWS3)
