package compiler

func (u *Unit) simplify() { u.Simplified = u.Model }
