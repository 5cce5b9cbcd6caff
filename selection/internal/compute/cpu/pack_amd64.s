#include "textflag.h"

// Copies pieces of a row of src into panels, and goes to the next row. Rows lie
// too far apart for the processor to foresee; R11 is eight of them.
//
// SI: src.  DI: dst.  R8: rows to do.  R9: bytes from panel to panel.  R10: bytes
// from row to row of src.

#define PIECE(SIZE) \
	ADDQ $SIZE, AX; \
	ADDQ R9, BX; \
	DECQ DX; \
	JNE  piece

#define ROWS(COPY, SIZE) \
	SHLQ $2, R9; \
	SHLQ $2, R10; \
	LEAQ (R10*8), R11; \
	TESTQ R8, R8; \
	JEQ  done; \
row: \
	MOVQ SI, AX; \
	MOVQ DI, BX; \
	MOVQ CX, DX; \
piece: \
	COPY; \
	PIECE(SIZE); \
	ADDQ R10, SI; \
	ADDQ $SIZE, DI; \
	DECQ R8; \
	JNE  row; \
done: \
	VZEROUPPER; \
	RET

#define COPY6 \
	VMOVUPS (AX), X0; \
	VMOVSD 16(AX), X1; \
	PREFETCHT0 (AX)(R11*1); \
	VMOVUPS X0, (BX); \
	VMOVSD X1, 16(BX)

#define COPY12 \
	VMOVUPS (AX), Y0; \
	VMOVUPS 32(AX), X1; \
	PREFETCHT0 (AX)(R11*1); \
	VMOVUPS Y0, (BX); \
	VMOVUPS X1, 32(BX)

#define COPY16 \
	VMOVUPS (AX), Y0; \
	VMOVUPS 32(AX), Y1; \
	PREFETCHT0 (AX)(R11*1); \
	VMOVUPS Y0, (BX); \
	VMOVUPS Y1, 32(BX)

#define COPY32 \
	COPY16; \
	VMOVUPS 64(AX), Y2; \
	VMOVUPS 96(AX), Y3; \
	PREFETCHT0 64(AX)(R11*1); \
	VMOVUPS Y2, 64(BX); \
	VMOVUPS Y3, 96(BX)

// func copyPieces6(dst []float32, pitch int, src []float32, stride, rows, pieces int)
TEXT ·copyPieces6(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ pitch+24(FP), R9
	MOVQ src_base+32(FP), SI
	MOVQ stride+56(FP), R10
	MOVQ rows+64(FP), R8
	MOVQ pieces+72(FP), CX
	ROWS(COPY6, 24)

// func copyPieces12(dst []float32, pitch int, src []float32, stride, rows, pieces int)
TEXT ·copyPieces12(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ pitch+24(FP), R9
	MOVQ src_base+32(FP), SI
	MOVQ stride+56(FP), R10
	MOVQ rows+64(FP), R8
	MOVQ pieces+72(FP), CX
	ROWS(COPY12, 48)

// func copyPieces16(dst []float32, pitch int, src []float32, stride, rows, pieces int)
TEXT ·copyPieces16(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ pitch+24(FP), R9
	MOVQ src_base+32(FP), SI
	MOVQ stride+56(FP), R10
	MOVQ rows+64(FP), R8
	MOVQ pieces+72(FP), CX
	ROWS(COPY16, 64)

// func copyPieces32(dst []float32, pitch int, src []float32, stride, rows, pieces int)
TEXT ·copyPieces32(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ pitch+24(FP), R9
	MOVQ src_base+32(FP), SI
	MOVQ stride+56(FP), R10
	MOVQ rows+64(FP), R8
	MOVQ pieces+72(FP), CX
	ROWS(COPY32, 128)

// Transposes eight rows of eight, Y0 to Y7, into Y8 to Y15.
#define TRANSPOSE \
	VUNPCKLPS Y1, Y0, Y8; \
	VUNPCKHPS Y1, Y0, Y9; \
	VUNPCKLPS Y3, Y2, Y10; \
	VUNPCKHPS Y3, Y2, Y11; \
	VUNPCKLPS Y5, Y4, Y12; \
	VUNPCKHPS Y5, Y4, Y13; \
	VUNPCKLPS Y7, Y6, Y14; \
	VUNPCKHPS Y7, Y6, Y15; \
	VSHUFPS $0x44, Y10, Y8, Y0; \
	VSHUFPS $0xEE, Y10, Y8, Y1; \
	VSHUFPS $0x44, Y11, Y9, Y2; \
	VSHUFPS $0xEE, Y11, Y9, Y3; \
	VSHUFPS $0x44, Y14, Y12, Y4; \
	VSHUFPS $0xEE, Y14, Y12, Y5; \
	VSHUFPS $0x44, Y15, Y13, Y6; \
	VSHUFPS $0xEE, Y15, Y13, Y7; \
	VPERM2F128 $0x20, Y4, Y0, Y8; \
	VPERM2F128 $0x20, Y5, Y1, Y9; \
	VPERM2F128 $0x20, Y6, Y2, Y10; \
	VPERM2F128 $0x20, Y7, Y3, Y11; \
	VPERM2F128 $0x31, Y4, Y0, Y12; \
	VPERM2F128 $0x31, Y5, Y1, Y13; \
	VPERM2F128 $0x31, Y6, Y2, Y14; \
	VPERM2F128 $0x31, Y7, Y3, Y15

// SI, R8: rows 0 and 4 of src.  R12, R13: one and three rows of it.
// DI, R9: rows 0 and 4 of dst.  R10, R11: one and three rows of it.

// func transposeEight(dst []float32, width int, src []float32, stride, blocks int)
TEXT ·transposeEight(SB), NOSPLIT, $0-72
	MOVQ dst_base+0(FP), DI
	MOVQ width+24(FP), R10
	MOVQ src_base+32(FP), SI
	MOVQ stride+56(FP), R12
	MOVQ blocks+64(FP), CX
	SHLQ $2, R10
	SHLQ $2, R12
	LEAQ (R10)(R10*2), R11
	LEAQ (R12)(R12*2), R13
	LEAQ (DI)(R10*4), R9
	LEAQ (SI)(R12*4), R8
	TESTQ CX, CX
	JLE  done

loop:
	VMOVUPS (SI), Y0
	VMOVUPS (SI)(R12*1), Y1
	VMOVUPS (SI)(R12*2), Y2
	VMOVUPS (SI)(R13*1), Y3
	VMOVUPS (R8), Y4
	VMOVUPS (R8)(R12*1), Y5
	VMOVUPS (R8)(R12*2), Y6
	VMOVUPS (R8)(R13*1), Y7
	TRANSPOSE
	VMOVUPS Y8, (DI)
	VMOVUPS Y9, (DI)(R10*1)
	VMOVUPS Y10, (DI)(R10*2)
	VMOVUPS Y11, (DI)(R11*1)
	VMOVUPS Y12, (R9)
	VMOVUPS Y13, (R9)(R10*1)
	VMOVUPS Y14, (R9)(R10*2)
	VMOVUPS Y15, (R9)(R11*1)
	ADDQ $32, SI
	ADDQ $32, R8
	LEAQ (DI)(R10*8), DI
	LEAQ (R9)(R10*8), R9
	DECQ CX
	JNE  loop

done:
	VZEROUPPER
	RET
