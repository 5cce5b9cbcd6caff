#include "textflag.h"
#include "loop_amd64.h"

// The upper case operands from SHRINK on are the coefficients.
#define ADAMW(P, G, M, V, SHRINK, FIRST, KEEP, SECOND, UNBIAS, RATE, EPSILON, SIZE) \
	BEGIN; \
loop: \
	VMOVUPS (SI)(AX*1), G; \
	VMOVUPS (R9)(AX*1), M; \
	VSUBPS M, G, P; \
	VFMADD231PS P, FIRST, M; \
	VMOVUPS M, (R9)(AX*1); \
	VMULPS G, G, G; \
	VMULPS SECOND, G, G; \
	VMOVUPS (R10)(AX*1), V; \
	VFMADD213PS G, KEEP, V; \
	VMOVUPS V, (R10)(AX*1); \
	VSQRTPS V, V; \
	VFMADD213PS EPSILON, UNBIAS, V; \
	VMULPS RATE, M, M; \
	VDIVPS V, M, M; \
	VMOVUPS (DI)(AX*1), P; \
	VFMSUB213PS M, SHRINK, P; \
	VMOVUPS P, (DI)(AX*1); \
	NEXT(SIZE); \
done: \
	VZEROUPPER; \
	RET

// func avx512AdamW(p, g, m, v []float32, c coefficients[float32])
TEXT ·avx512AdamW(SB), NOSPLIT, $0-124
	MOVQ p_base+0(FP), DI
	MOVQ p_len+8(FP), CX
	MOVQ g_base+24(FP), SI
	MOVQ m_base+48(FP), R9
	MOVQ v_base+72(FP), R10
	VBROADCASTSS c_shrink+96(FP), Z4
	VBROADCASTSS c_first+100(FP), Z5
	VBROADCASTSS c_keep+104(FP), Z6
	VBROADCASTSS c_second+108(FP), Z7
	VBROADCASTSS c_unbias+112(FP), Z8
	VBROADCASTSS c_rate+116(FP), Z9
	VBROADCASTSS c_epsilon+120(FP), Z10
	ADAMW(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, 64)

// func avx2AdamW(p, g, m, v []float32, c coefficients[float32])
TEXT ·avx2AdamW(SB), NOSPLIT, $0-124
	MOVQ p_base+0(FP), DI
	MOVQ p_len+8(FP), CX
	MOVQ g_base+24(FP), SI
	MOVQ m_base+48(FP), R9
	MOVQ v_base+72(FP), R10
	VBROADCASTSS c_shrink+96(FP), Y4
	VBROADCASTSS c_first+100(FP), Y5
	VBROADCASTSS c_keep+104(FP), Y6
	VBROADCASTSS c_second+108(FP), Y7
	VBROADCASTSS c_unbias+112(FP), Y8
	VBROADCASTSS c_rate+116(FP), Y9
	VBROADCASTSS c_epsilon+120(FP), Y10
	ADAMW(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, 32)
