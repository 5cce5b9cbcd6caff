#include "textflag.h"
#include "loop_amd64.h"

// Adds up the four numbers of Y.
#define FOLD(Y, X, T) \
	VEXTRACTF128 $1, Y, T; \
	VADDPD T, X, X; \
	VPERMILPD $1, X, T; \
	VADDSD T, X, X

#define SUM(V0, V1, S0, S1, SIZE) \
	VXORPD S0, S0, S0; \
	VXORPD S1, S1, S1; \
	BEGIN; \
loop: \
	VCVTPS2PD (SI)(AX*1), V0; \
	VCVTPS2PD (SIZE/2)(SI)(AX*1), V1; \
	VADDPD V0, S0, S0; \
	VADDPD V1, S1, S1; \
	NEXT(SIZE); \
done: \
	VADDPD S1, S0, S0

// func avx512Sum(x []float32) float64
TEXT ·avx512Sum(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SUM(Z2, Z3, Z0, Z1, 64)
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPD Y1, Y0, Y0
	FOLD(Y0, X0, X1)
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// func avx2Sum(x []float32) float64
TEXT ·avx2Sum(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SUM(Y2, Y3, Y0, Y1, 32)
	FOLD(Y0, X0, X1)
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

#define SQUARES(V0, V1, S0, S1, C, SIZE) \
	VXORPD S0, S0, S0; \
	VXORPD S1, S1, S1; \
	BEGIN; \
loop: \
	VCVTPS2PD (SI)(AX*1), V0; \
	VCVTPS2PD (SIZE/2)(SI)(AX*1), V1; \
	VSUBPD C, V0, V0; \
	VSUBPD C, V1, V1; \
	VFMADD231PD V0, V0, S0; \
	VFMADD231PD V1, V1, S1; \
	NEXT(SIZE); \
done: \
	VADDPD S1, S0, S0

// func avx512Squares(x []float32, center float64) float64
TEXT ·avx512Squares(SB), NOSPLIT, $0-40
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	VBROADCASTSD center+24(FP), Z4
	SQUARES(Z2, Z3, Z0, Z1, Z4, 64)
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPD Y1, Y0, Y0
	FOLD(Y0, X0, X1)
	VMOVSD X0, ret+32(FP)
	VZEROUPPER
	RET

// func avx2Squares(x []float32, center float64) float64
TEXT ·avx2Squares(SB), NOSPLIT, $0-40
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	VBROADCASTSD center+24(FP), Y4
	SQUARES(Y2, Y3, Y0, Y1, Y4, 32)
	FOLD(Y0, X0, X1)
	VMOVSD X0, ret+32(FP)
	VZEROUPPER
	RET

#define NORMALIZE(V, W, M, R, SIZE) \
	BEGIN; \
loop: \
	VMOVUPS (SI)(AX*1), V; \
	VSUBPS M, V, V; \
	VMULPS R, V, V; \
	VMOVUPS (R8)(AX*1), W; \
	VFMADD213PS (R9)(AX*1), W, V; \
	VMOVUPS V, (DI)(AX*1); \
	NEXT(SIZE); \
done: \
	VZEROUPPER; \
	RET

// func avx512Normalize(dst, x, weight, bias []float32, mean, rstd float32)
TEXT ·avx512Normalize(SB), NOSPLIT, $0-104
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ x_base+24(FP), SI
	MOVQ weight_base+48(FP), R8
	MOVQ bias_base+72(FP), R9
	VBROADCASTSS mean+96(FP), Z2
	VBROADCASTSS rstd+100(FP), Z3
	NORMALIZE(Z0, Z1, Z2, Z3, 64)

// func avx2Normalize(dst, x, weight, bias []float32, mean, rstd float32)
TEXT ·avx2Normalize(SB), NOSPLIT, $0-104
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ x_base+24(FP), SI
	MOVQ weight_base+48(FP), R8
	MOVQ bias_base+72(FP), R9
	VBROADCASTSS mean+96(FP), Y2
	VBROADCASTSS rstd+100(FP), Y3
	NORMALIZE(Y0, Y1, Y2, Y3, 32)

// U is x̂ and G is g, of which UH and GH are the lower halves; D0 to D3 take them
// as float64. S0 and S1 sum up g, S2 and S3 g·x̂.
#define NORM_SUMS(U, G, UH, GH, D0, D1, D2, D3, S0, S1, S2, S3, M, R, HIGH, SIZE) \
	VXORPD S0, S0, S0; \
	VXORPD S1, S1, S1; \
	VXORPD S2, S2, S2; \
	VXORPD S3, S3, S3; \
	BEGIN; \
loop: \
	VMOVUPS (SI)(AX*1), U; \
	VSUBPS M, U, U; \
	VMULPS R, U, U; \
	VMOVUPS (DX)(AX*1), G; \
	VADDPS (R10)(AX*1), G, D0; \
	VMOVUPS D0, (R10)(AX*1); \
	VMOVUPS (R9)(AX*1), D1; \
	VFMADD231PS U, G, D1; \
	VMOVUPS D1, (R9)(AX*1); \
	VMULPS (R8)(AX*1), G, G; \
	VCVTPS2PD GH, D0; \
	VCVTPS2PD UH, D2; \
	HIGH $1, G, GH; \
	HIGH $1, U, UH; \
	VCVTPS2PD GH, D1; \
	VCVTPS2PD UH, D3; \
	VADDPD D0, S0, S0; \
	VADDPD D1, S1, S1; \
	VFMADD231PD D0, D2, S2; \
	VFMADD231PD D1, D3, S3; \
	NEXT(SIZE); \
done: \
	VADDPD S1, S0, S0; \
	VADDPD S3, S2, S2

// func avx512NormSums(dy, x, weight, dweight, dbias []float32, mean, rstd float32) (sum, along float64)
TEXT ·avx512NormSums(SB), NOSPLIT, $0-144
	MOVQ dy_base+0(FP), DX
	MOVQ dy_len+8(FP), CX
	MOVQ x_base+24(FP), SI
	MOVQ weight_base+48(FP), R8
	MOVQ dweight_base+72(FP), R9
	MOVQ dbias_base+96(FP), R10
	VBROADCASTSS mean+120(FP), Z10
	VBROADCASTSS rstd+124(FP), Z11
	NORM_SUMS(Z0, Z1, Y0, Y1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, VEXTRACTF64X4, 64)
	VEXTRACTF64X4 $1, Z6, Y7
	VEXTRACTF64X4 $1, Z8, Y9
	VADDPD Y7, Y6, Y6
	VADDPD Y9, Y8, Y8
	FOLD(Y6, X6, X7)
	FOLD(Y8, X8, X9)
	VMOVSD X6, sum+128(FP)
	VMOVSD X8, along+136(FP)
	VZEROUPPER
	RET

// func avx2NormSums(dy, x, weight, dweight, dbias []float32, mean, rstd float32) (sum, along float64)
TEXT ·avx2NormSums(SB), NOSPLIT, $0-144
	MOVQ dy_base+0(FP), DX
	MOVQ dy_len+8(FP), CX
	MOVQ x_base+24(FP), SI
	MOVQ weight_base+48(FP), R8
	MOVQ dweight_base+72(FP), R9
	MOVQ dbias_base+96(FP), R10
	VBROADCASTSS mean+120(FP), Y10
	VBROADCASTSS rstd+124(FP), Y11
	NORM_SUMS(Y0, Y1, X0, X1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, VEXTRACTF128, 32)
	FOLD(Y6, X6, X7)
	FOLD(Y8, X8, X9)
	VMOVSD X6, sum+128(FP)
	VMOVSD X8, along+136(FP)
	VZEROUPPER
	RET

// dx = rstd·(dy·weight - shift - x̂·tilt)
#define NORM_BACK(U, G, M, R, H, T, SIZE) \
	BEGIN; \
loop: \
	VMOVUPS (SI)(AX*1), U; \
	VSUBPS M, U, U; \
	VMULPS R, U, U; \
	VMOVUPS (DX)(AX*1), G; \
	VFMSUB132PS (R8)(AX*1), H, G; \
	VFNMADD231PS T, U, G; \
	VMULPS R, G, G; \
	VMOVUPS G, (DI)(AX*1); \
	NEXT(SIZE); \
done: \
	VZEROUPPER; \
	RET

// func avx512NormBack(dx, dy, x, weight []float32, mean, rstd, shift, tilt float32)
TEXT ·avx512NormBack(SB), NOSPLIT, $0-112
	MOVQ dx_base+0(FP), DI
	MOVQ dx_len+8(FP), CX
	MOVQ dy_base+24(FP), DX
	MOVQ x_base+48(FP), SI
	MOVQ weight_base+72(FP), R8
	VBROADCASTSS mean+96(FP), Z2
	VBROADCASTSS rstd+100(FP), Z3
	VBROADCASTSS shift+104(FP), Z4
	VBROADCASTSS tilt+108(FP), Z5
	NORM_BACK(Z0, Z1, Z2, Z3, Z4, Z5, 64)

// func avx2NormBack(dx, dy, x, weight []float32, mean, rstd, shift, tilt float32)
TEXT ·avx2NormBack(SB), NOSPLIT, $0-112
	MOVQ dx_base+0(FP), DI
	MOVQ dx_len+8(FP), CX
	MOVQ dy_base+24(FP), DX
	MOVQ x_base+48(FP), SI
	MOVQ weight_base+72(FP), R8
	VBROADCASTSS mean+96(FP), Y2
	VBROADCASTSS rstd+100(FP), Y3
	VBROADCASTSS shift+104(FP), Y4
	VBROADCASTSS tilt+108(FP), Y5
	NORM_BACK(Y0, Y1, Y2, Y3, Y4, Y5, 32)
