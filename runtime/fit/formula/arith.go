package formula

import "math"

// readArith converts the syntax tree of a sum, from left to right.
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

// readProduct converts a product, from left to right.
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

// readUnary converts a power, or a negated expression.
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

// readOperand converts a number, a column or an expression in parentheses.
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

// columns returns the columns in a, from left to right.
func (a *Arith) columns() []*Arith {
	switch {
	case a == nil:
		return nil
	case a.Op == OpColumn:
		return []*Arith{a}
	}
	return append(a.Left.columns(), a.Right.columns()...)
}

// value returns the value of a in one row of the columns.
func (a *Arith) value(row int, columns map[string][]float64) float64 {
	switch a.Op {
	case OpColumn:
		return columns[a.Column][row]
	case OpNumber:
		return a.Number
	case OpNegate:
		return -a.Left.value(row, columns)
	}
	return a.Op.apply(a.Left.value(row, columns), a.Right.value(row, columns))
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
	}
	return math.Pow(x, y) // OpPower
}
