#include "textflag.h"

// Tiles of 12, 8 and 4 rows by 32 columns. Two registers hold a row of b (Z24,
// Z25), four an element of a each, spread out (Z26–Z29), and the rest the sums:
// Z(2i) and Z(2i+1) are row i of c.
//
// R8, R9, R10: a at rows 0, 4 and 8.  R12, R13: one and three rows of a.
// R11: one step of k in a.  SI: b.  DI: c.  BX: c, ahead.  DX: one row of c.
// CX: k.  AX: counts steps.

// Adds four rows of a, of which A is the first, times the row of b.
#define FOUR(A, S0, S1, S2, S3, S4, S5, S6, S7) \
	VBROADCASTSS (A), Z26; \
	VBROADCASTSS (A)(R12*1), Z27; \
	VFMADD231PS  Z24, Z26, S0; \
	VFMADD231PS  Z25, Z26, S1; \
	VBROADCASTSS (A)(R12*2), Z28; \
	VFMADD231PS  Z24, Z27, S2; \
	VFMADD231PS  Z25, Z27, S3; \
	VBROADCASTSS (A)(R13*1), Z29; \
	VFMADD231PS  Z24, Z28, S4; \
	VFMADD231PS  Z25, Z28, S5; \
	VFMADD231PS  Z24, Z29, S6; \
	VFMADD231PS  Z25, Z29, S7; \
	ADDQ         R11, A

#define ROW_OF_B(N) \
	VMOVUPS (128*N)(SI), Z24; \
	VMOVUPS (128*N+64)(SI), Z25

#define STEP4(N) \
	ROW_OF_B(N); \
	FOUR(R8, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)

#define STEP8(N) \
	STEP4(N); \
	FOUR(R9, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)

#define STEP12(N) \
	STEP8(N); \
	FOUR(R10, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23)

// Runs over k, four steps at a time. Every four of these it fetches a row of c,
// which will be there at the end: all rows at once would hold up a and b.
#define RUN(STEP) \
	MOVQ $1, AX; \
	SUBQ $4, CX; \
	JLT  rest; \
four: \
	STEP(0); \
	STEP(1); \
	STEP(2); \
	STEP(3); \
	ADDQ $512, SI; \
	DECQ AX; \
	JNE  next; \
	MOVQ $4, AX; \
	PREFETCHT0 (BX); \
	PREFETCHT0 64(BX); \
	ADDQ DX, BX; \
next: \
	SUBQ $4, CX; \
	JGE  four; \
rest: \
	ADDQ $4, CX; \
	JEQ  done; \
one: \
	STEP(0); \
	ADDQ $128, SI; \
	DECQ CX; \
	JNE  one; \
done:

#define CLEAR(S0, S1) \
	VPXORQ S0, S0, S0; \
	VPXORQ S1, S1, S1

// Writes a row of c and goes to the next.
#define SET(S0, S1) \
	VMOVUPS S0, (DI); \
	VMOVUPS S1, 64(DI); \
	ADDQ    DX, DI

#define ADD(S0, S1) \
	VADDPS (DI), S0, S0; \
	VADDPS 64(DI), S1, S1; \
	SET(S0, S1)

#define ROWS4(OP) \
	OP(Z0, Z1); \
	OP(Z2, Z3); \
	OP(Z4, Z5); \
	OP(Z6, Z7)

#define ROWS8(OP) \
	ROWS4(OP); \
	OP(Z8, Z9); \
	OP(Z10, Z11); \
	OP(Z12, Z13); \
	OP(Z14, Z15)

#define ROWS12(OP) \
	ROWS8(OP); \
	OP(Z16, Z17); \
	OP(Z18, Z19); \
	OP(Z20, Z21); \
	OP(Z22, Z23)

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
	LEAQ (R12)(R12*2), R13; \
	LEAQ (R8)(R12*4), R9; \
	LEAQ (R8)(R12*8), R10; \
	MOVQ DI, BX

// func avx512Tile12(k int, a []float32, row, step int, b, c []float32, cStride int, add bool)
TEXT ·avx512Tile12(SB), NOSPLIT, $0-105
	MOVQ k+0(FP), CX
	MOVQ a_base+8(FP), R8
	MOVQ row+32(FP), R12
	MOVQ step+40(FP), R11
	MOVQ b_base+48(FP), SI
	MOVQ c_base+72(FP), DI
	MOVQ cStride+96(FP), DX
	ADDRESS
	ROWS12(CLEAR)
	RUN(STEP12)
	MOVBLZX add+104(FP), AX
	STORE(ROWS12)

// func avx512Tile8(k int, a []float32, row, step int, b, c []float32, cStride int, add bool)
TEXT ·avx512Tile8(SB), NOSPLIT, $0-105
	MOVQ k+0(FP), CX
	MOVQ a_base+8(FP), R8
	MOVQ row+32(FP), R12
	MOVQ step+40(FP), R11
	MOVQ b_base+48(FP), SI
	MOVQ c_base+72(FP), DI
	MOVQ cStride+96(FP), DX
	ADDRESS
	ROWS8(CLEAR)
	RUN(STEP8)
	MOVBLZX add+104(FP), AX
	STORE(ROWS8)

// func avx512Tile4(k int, a []float32, row, step int, b, c []float32, cStride int, add bool)
TEXT ·avx512Tile4(SB), NOSPLIT, $0-105
	MOVQ k+0(FP), CX
	MOVQ a_base+8(FP), R8
	MOVQ row+32(FP), R12
	MOVQ step+40(FP), R11
	MOVQ b_base+48(FP), SI
	MOVQ c_base+72(FP), DI
	MOVQ cStride+96(FP), DX
	ADDRESS
	ROWS4(CLEAR)
	RUN(STEP4)
	MOVBLZX add+104(FP), AX
	STORE(ROWS4)
