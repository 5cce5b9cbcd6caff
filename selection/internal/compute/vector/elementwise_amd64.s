#include "textflag.h"
#include "loop_amd64.h"

#define ADD(V, SIZE) \
	BEGIN; \
loop: \
	VMOVUPS (SI)(AX*1), V; \
	VADDPS  (DI)(AX*1), V, V; \
	VMOVUPS V, (DI)(AX*1); \
	NEXT(SIZE); \
done: \
	VZEROUPPER; \
	RET

// func avx512Add(dst, x []float32)
TEXT ·avx512Add(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ dst_len+8(FP), CX
	ADD(Z0, 64)

// func avx2Add(dst, x []float32)
TEXT ·avx2Add(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ dst_len+8(FP), CX
	ADD(Y0, 32)

#define ADD_SCALED(V, A, SIZE) \
	BEGIN; \
loop: \
	VMOVUPS (DI)(AX*1), V; \
	VFMADD231PS (SI)(AX*1), A, V; \
	VMOVUPS V, (DI)(AX*1); \
	NEXT(SIZE); \
done: \
	VZEROUPPER; \
	RET

// func avx512AddScaled(dst []float32, a float32, x []float32)
TEXT ·avx512AddScaled(SB), NOSPLIT, $0-56
	MOVQ dst_base+0(FP), DI
	VBROADCASTSS a+24(FP), Z1
	MOVQ x_base+32(FP), SI
	MOVQ dst_len+8(FP), CX
	ADD_SCALED(Z0, Z1, 64)

// func avx2AddScaled(dst []float32, a float32, x []float32)
TEXT ·avx2AddScaled(SB), NOSPLIT, $0-56
	MOVQ dst_base+0(FP), DI
	VBROADCASTSS a+24(FP), Y1
	MOVQ x_base+32(FP), SI
	MOVQ dst_len+8(FP), CX
	ADD_SCALED(Y0, Y1, 32)

#define SCALE(V, A, SIZE) \
	BEGIN; \
loop: \
	VMULPS (DI)(AX*1), A, V; \
	VMOVUPS V, (DI)(AX*1); \
	NEXT(SIZE); \
done: \
	VZEROUPPER; \
	RET

// func avx512Scale(dst []float32, a float32)
TEXT ·avx512Scale(SB), NOSPLIT, $0-28
	MOVQ dst_base+0(FP), DI
	VBROADCASTSS a+24(FP), Z1
	MOVQ dst_len+8(FP), CX
	SCALE(Z0, Z1, 64)

// func avx2Scale(dst []float32, a float32)
TEXT ·avx2Scale(SB), NOSPLIT, $0-28
	MOVQ dst_base+0(FP), DI
	VBROADCASTSS a+24(FP), Y1
	MOVQ dst_len+8(FP), CX
	SCALE(Y0, Y1, 32)

// Four sums side by side, S0 to S3, over four registers at a time; what remains
// goes to the first.
#define DOT(V, S0, S1, S2, S3, SIZE) \
	VXORPS S0, S0, S0; \
	VXORPS S1, S1, S1; \
	VXORPS S2, S2, S2; \
	VXORPS S3, S3, S3; \
	BEGIN; \
	SUBQ $(4*SIZE), CX; \
	JLT  rest; \
four: \
	VMOVUPS (DI)(AX*1), V; \
	VFMADD231PS (SI)(AX*1), V, S0; \
	VMOVUPS SIZE(DI)(AX*1), V; \
	VFMADD231PS SIZE(SI)(AX*1), V, S1; \
	VMOVUPS (2*SIZE)(DI)(AX*1), V; \
	VFMADD231PS (2*SIZE)(SI)(AX*1), V, S2; \
	VMOVUPS (3*SIZE)(DI)(AX*1), V; \
	VFMADD231PS (3*SIZE)(SI)(AX*1), V, S3; \
	ADDQ $(4*SIZE), AX; \
	CMPQ AX, CX; \
	JLE  four; \
rest: \
	ADDQ $(4*SIZE), CX; \
	CMPQ AX, CX; \
	JGE  done; \
loop: \
	VMOVUPS (DI)(AX*1), V; \
	VFMADD231PS (SI)(AX*1), V, S0; \
	NEXT(SIZE); \
done: \
	VADDPS S1, S0, S0; \
	VADDPS S3, S2, S2; \
	VADDPS S2, S0, S0

// Adds up the eight numbers of Y0.
#define FOLD \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS X1, X0, X0; \
	VPERMILPS $0x0E, X0, X1; \
	VADDPS X1, X0, X0; \
	VPERMILPS $1, X0, X1; \
	VADDSS X1, X0, X0

// func avx512Dot(x, y []float32) float32
TEXT ·avx512Dot(SB), NOSPLIT, $0-52
	MOVQ x_base+0(FP), DI
	MOVQ y_base+24(FP), SI
	MOVQ x_len+8(FP), CX
	DOT(Z4, Z0, Z1, Z2, Z3, 64)
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPS Y1, Y0, Y0
	FOLD
	VMOVSS X0, ret+48(FP)
	VZEROUPPER
	RET

// func avx2Dot(x, y []float32) float32
TEXT ·avx2Dot(SB), NOSPLIT, $0-52
	MOVQ x_base+0(FP), DI
	MOVQ y_base+24(FP), SI
	MOVQ x_len+8(FP), CX
	DOT(Y4, Y0, Y1, Y2, Y3, 32)
	FOLD
	VMOVSS X0, ret+48(FP)
	VZEROUPPER
	RET
