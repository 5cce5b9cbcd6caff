#include "textflag.h"
#include "loop_amd64.h"

// The normal distribution in registers. With a = |x|, from 13 on 13, where the
// tail is less than float32 can tell from nothing,
//
//	e = exp(-a²/2),  q = Φ(-a) = e·Q(t),  t = 1/(1 + a/4),
//
// Q being a polynomial of degree 7 without constant term, fitted to
// ½·exp(a²/2)·erfc(a/√2) for the least greatest error of max(1, a)·q: 4.5e-9. It
// is the form of Hastings (1955), Abramowitz and Stegun 7.1.26, with two terms
// more. The exponential is 2ⁿ·exp(r), |r| ≤ ½·ln 2, with
// exp(r) = 1 + r·(1 + r·P(r)), P of degree 4 fitted likewise: 3e-9.

// Every constant sixteen times, for both sizes of registers.
#define CONSTANT(NAME, BITS) \
	DATA NAME<>+0(SB)/4, $BITS; \
	DATA NAME<>+4(SB)/4, $BITS; \
	DATA NAME<>+8(SB)/4, $BITS; \
	DATA NAME<>+12(SB)/4, $BITS; \
	DATA NAME<>+16(SB)/4, $BITS; \
	DATA NAME<>+20(SB)/4, $BITS; \
	DATA NAME<>+24(SB)/4, $BITS; \
	DATA NAME<>+28(SB)/4, $BITS; \
	DATA NAME<>+32(SB)/4, $BITS; \
	DATA NAME<>+36(SB)/4, $BITS; \
	DATA NAME<>+40(SB)/4, $BITS; \
	DATA NAME<>+44(SB)/4, $BITS; \
	DATA NAME<>+48(SB)/4, $BITS; \
	DATA NAME<>+52(SB)/4, $BITS; \
	DATA NAME<>+56(SB)/4, $BITS; \
	DATA NAME<>+60(SB)/4, $BITS; \
	GLOBL NAME<>(SB), RODATA|NOPTR, $64

CONSTANT(magnitude, 0x7FFFFFFF)
CONSTANT(sign, 0x80000000)
CONSTANT(farthest, (13.0))
CONSTANT(quarter, (0.25))
CONSTANT(one, (1.0))
CONSTANT(half, (0.5))
CONSTANT(minusHalf, (-0.5))
CONSTANT(q1, (0.098869279))
CONSTANT(q2, (0.112042636))
CONSTANT(q3, (0.024559971))
CONSTANT(q4, (0.282752603))
CONSTANT(q5, (-0.269517124))
CONSTANT(q6, (0.343339860))
CONSTANT(q7, (-0.092047215))
CONSTANT(p0, (0.499999940))
CONSTANT(p1, (0.166665211))
CONSTANT(p2, (0.041668393))
CONSTANT(p3, (0.008368745))
CONSTANT(p4, (0.001381454))
CONSTANT(log2e, (1.442695041))
CONSTANT(ln2High, 0x3F317200)      // 0.693145752, with room for a factor of nine bits
CONSTANT(ln2Low, (1.428606820e-6)) // ln 2 less that
CONSTANT(integer, (12582912.0))    // 1.5·2²³: a number added to it is rounded to an integer
CONSTANT(density, (0.398942280))   // 1/√(2π)

// TAIL sets A, E and Q to a, e and q of X. T, N and P are for it.
#define TAIL(X, A, E, Q, T, N, P) \
	VANDPS magnitude<>(SB), X, A; \
	VMOVUPS farthest<>(SB), T; \
	VMINPS A, T, A; \
	VMOVUPS one<>(SB), Q; \
	VMOVUPS quarter<>(SB), T; \
	VFMADD213PS Q, A, T; \
	VDIVPS T, Q, T; \
	VMOVUPS q7<>(SB), Q; \
	VFMADD213PS q6<>(SB), T, Q; \
	VFMADD213PS q5<>(SB), T, Q; \
	VFMADD213PS q4<>(SB), T, Q; \
	VFMADD213PS q3<>(SB), T, Q; \
	VFMADD213PS q2<>(SB), T, Q; \
	VFMADD213PS q1<>(SB), T, Q; \
	VMULPS T, Q, Q; \
	VMULPS A, A, E; \
	VMULPS minusHalf<>(SB), E, E; \
	VMOVUPS integer<>(SB), T; \
	VMOVAPS T, N; \
	VFMADD231PS log2e<>(SB), E, N; \
	VSUBPS T, N, P; \
	VPSLLD $23, N, N; \
	VFNMADD231PS ln2High<>(SB), P, E; \
	VFNMADD231PS ln2Low<>(SB), P, E; \
	VMOVUPS p4<>(SB), P; \
	VFMADD213PS p3<>(SB), E, P; \
	VFMADD213PS p2<>(SB), E, P; \
	VFMADD213PS p1<>(SB), E, P; \
	VFMADD213PS p0<>(SB), E, P; \
	VFMADD213PS one<>(SB), E, P; \
	VFMADD213PS one<>(SB), E, P; \
	VPADDD N, P, E; \
	VMULPS E, Q, Q

// x·Φ(x) = max(x, 0) - a·q
#define GELU(X, A, E, Q, T, N, P, SIZE) \
	BEGIN; \
loop: \
	VMOVUPS (SI)(AX*1), X; \
	TAIL(X, A, E, Q, T, N, P); \
	VXORPS T, T, T; \
	VMAXPS X, T, T; \
	VFNMADD231PS Q, A, T; \
	VMOVUPS T, (DI)(AX*1); \
	NEXT(SIZE); \
done: \
	VZEROUPPER; \
	RET

// func avx512GELU(dst, x []float32)
TEXT ·avx512GELU(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ x_base+24(FP), SI
	GELU(Z0, Z1, Z2, Z3, Z4, Z5, Z6, 64)

// func avx2GELU(dst, x []float32)
TEXT ·avx2GELU(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ x_base+24(FP), SI
	GELU(Y0, Y1, Y2, Y3, Y4, Y5, Y6, 32)

// Φ(x) + x·φ(x) = ½ ± (½ - q) ± a·e/√(2π), with the sign of x
#define GELU_GRAD(X, A, E, Q, T, N, P, SIZE) \
	BEGIN; \
loop: \
	VMOVUPS (SI)(AX*1), X; \
	TAIL(X, A, E, Q, T, N, P); \
	VMOVUPS half<>(SB), P; \
	VSUBPS Q, P, T; \
	VMULPS A, E, E; \
	VFMADD231PS density<>(SB), E, T; \
	VANDPS sign<>(SB), X, N; \
	VORPS N, T, T; \
	VADDPS P, T, T; \
	VMULPS (DX)(AX*1), T, T; \
	VMOVUPS T, (DI)(AX*1); \
	NEXT(SIZE); \
done: \
	VZEROUPPER; \
	RET

// func avx512GELUGrad(dx, dy, x []float32)
TEXT ·avx512GELUGrad(SB), NOSPLIT, $0-72
	MOVQ dx_base+0(FP), DI
	MOVQ dx_len+8(FP), CX
	MOVQ dy_base+24(FP), DX
	MOVQ x_base+48(FP), SI
	GELU_GRAD(Z0, Z1, Z2, Z3, Z4, Z5, Z6, 64)

// func avx2GELUGrad(dx, dy, x []float32)
TEXT ·avx2GELUGrad(SB), NOSPLIT, $0-72
	MOVQ dx_base+0(FP), DI
	MOVQ dx_len+8(FP), CX
	MOVQ dy_base+24(FP), DX
	MOVQ x_base+48(FP), SI
	GELU_GRAD(Y0, Y1, Y2, Y3, Y4, Y5, Y6, 32)
