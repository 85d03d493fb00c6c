package formula

import "math"

// readArith reads a sum, from left to right.
func readArith(a *arithTree) (*Arith, error) {
	sum, err := readProduct(a.First)
	for _, next := range a.Rest {
		if err != nil {
			return nil, err
		}
		op := OpAdd
		if next.Op == "-" {
			op = OpSubtract
		}
		var right *Arith
		right, err = readProduct(next.Term)
		sum = &Arith{Pos: sum.Pos, Op: op, Left: sum, Right: right}
	}
	return sum, err
}

func readProduct(f *factorTree) (*Arith, error) {
	product, err := readUnary(f.First)
	for _, next := range f.Rest {
		if err != nil {
			return nil, err
		}
		op := OpMultiply
		if next.Op == "/" {
			op = OpDivide
		}
		var right *Arith
		right, err = readUnary(next.Unary)
		product = &Arith{Pos: product.Pos, Op: op, Left: product, Right: right}
	}
	return product, err
}

func readUnary(u *unaryTree) (*Arith, error) {
	if u.Negate != nil {
		left, err := readUnary(u.Negate)
		return &Arith{Pos: at(u.Pos), Op: OpNegate, Left: left}, err
	}
	base, err := readOperand(u.Power.Base)
	if err != nil || u.Power.Exponent == nil {
		return base, err
	}
	exponent, err := readUnary(u.Power.Exponent)
	return &Arith{Pos: base.Pos, Op: OpPower, Left: base, Right: exponent}, err
}

func readOperand(o *operandTree) (*Arith, error) {
	switch pos := at(o.Pos); {
	case o.Paren != nil:
		return readArith(o.Paren)
	case o.Name != nil:
		text, err := name(o.Name)
		return &Arith{Pos: pos, Op: OpColumn, Column: text}, err
	default:
		v, err := number(o.Number, pos)
		return &Arith{Pos: pos, Op: OpNumber, Number: v}, err
	}
}

// eval returns the value of a in every row; column gives the rows of a numeric column.
func (a *Arith) eval(rows int, column func(*Arith) ([]float64, error)) ([]float64, error) {
	out := make([]float64, rows)
	switch a.Op {
	case OpColumn:
		values, err := column(a)
		copy(out, values)
		return out, err
	case OpNumber:
		for i := range out {
			out[i] = a.Number
		}
		return out, nil
	}
	left, err := a.Left.eval(rows, column)
	if err != nil {
		return nil, err
	}
	right := left
	if a.Right != nil {
		if right, err = a.Right.eval(rows, column); err != nil {
			return nil, err
		}
	}
	for i := range out {
		out[i] = a.Op.apply(left[i], right[i])
	}
	return out, nil
}

func (op Op) apply(x, y float64) float64 {
	switch op {
	case OpAdd:
		return x + y
	case OpSubtract:
		return x - y
	case OpMultiply:
		return x * y
	case OpDivide:
		return x / y
	case OpPower:
		return math.Pow(x, y)
	}
	return -x // OpNegate
}
