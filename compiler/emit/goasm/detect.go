package goasm

// detectAssembly is the assembly that finds out which instruction set the machine offers. It follows Intel's manual, volume 1,
// sections 14.3 and 15.2: the operating system must also save the registers.
const detectAssembly = `
// func detect() int
TEXT ·detect(SB), NOSPLIT, $0-8
	XORL AX, AX
	CPUID
	CMPL AX, $7
	JL   none
	MOVL $1, AX
	XORL CX, CX
	CPUID

	// FMA (bit 12), OSXSAVE (27), AVX (28)
	ANDL $0x18001000, CX
	CMPL CX, $0x18001000
	JNE  none
	XORL CX, CX
	XGETBV
	MOVL AX, R8
	MOVL $7, AX
	XORL CX, CX
	CPUID

	// XMM and YMM saved; AVX2 (bit 5)
	MOVL R8, R9
	ANDL $6, R9
	CMPL R9, $6
	JNE  none
	BTL  $5, BX
	JCC  none

	// opmasks and ZMM saved; AVX-512 F (bit 16), DQ (17), VL (31)
	ANDL $0xe6, R8
	CMPL R8, $0xe6
	JNE  avx2
	ANDL $0x80030000, BX
	CMPL BX, $0x80030000
	JNE  avx2
	MOVQ $2, ret+0(FP)
	RET

avx2:
	MOVQ $1, ret+0(FP)
	RET

none:
	MOVQ $0, ret+0(FP)
	RET
`
