package bank

import (
	"fmt"
	"strings"
)

// Role is the purpose of a bank, with the paper's size ("Pipeline data split details"). Banks of different roles share no
// subject: a subject's random stream is identified by its role's group and its number in the group, and roles of one group use
// different numbers.
type Role struct {
	Name     string
	Purpose  string
	Subjects int
	Trials   int // largest number of trials of a subject in the bank

	group uint32 // number of the group of roles
	first int    // number of the first subject in the group
	block int    // the first `block` subjects have consecutive numbers, from first on; 0: all have
	after int    // number of the subject after the block; later ones have every second number
	upper bool   // whether the bank contains only trials at the upper boundary, selected from simulatedForUpper trials
}

// simulatedForUpper is the smallest number of trials that are simulated if only those at the upper boundary are stored.
const simulatedForUpper = 1000

// SearchRows is the only role whose banks a search may use. Banks that judge expressions must not have been used by their search.
const SearchRows = "search-rows"

var roles = []Role{
	{Name: "teacher-train", Purpose: "trains the neural likelihood", Subjects: 15000, Trials: 20, group: 1},
	{Name: SearchRows, Purpose: "rows of the symbolic regression: upper-boundary trials", Subjects: 800, Trials: 20, group: 2, upper: true},
	{Name: "screen-40", Purpose: "the posterior-mode screen", Subjects: 40, Trials: 1000, group: 3},
	{Name: "test-60", Purpose: "ranks the candidates and reports their recovery", Subjects: 60, Trials: 1000, group: 4, block: 60, after: 150},
	{Name: "holdout-90", Purpose: "used by no step, for the last check alone", Subjects: 90, Trials: 1000, group: 4, first: 60, block: 90, after: 151},
	{Name: "gate-100", Purpose: "admits the neural likelihood", Subjects: 100, Trials: 1000, group: 5},
}

// Roles returns the known roles, in a fixed order.
func Roles() []Role { return roles }

// RoleNames returns the names of the known roles.
func RoleNames() []string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = r.Name
	}
	return names
}

// RoleNamed returns the role with the given name.
func RoleNamed(name string) (Role, error) {
	for _, r := range roles {
		if r.Name == name {
			return r, nil
		}
	}
	return Role{}, fmt.Errorf("role %q: unknown; there are %s", name, strings.Join(RoleNames(), ", "))
}

// id returns the number of the role's i-th subject in its group. Roles of one group share no number: test-60 has 0 to 59, then 150,
// 152, …; holdout-90 has 60 to 149, then 151, 153, ….
func (r Role) id(i int) int {
	if r.block == 0 || i < r.block {
		return r.first + i
	}
	return r.after + 2*(i-r.block)
}

// stream returns the number of the random stream of one of the role's subjects. Different subjects have different streams, because
// mix is a bijection.
func (r Role) stream(id int) uint64 { return mix(uint64(r.group)<<32 | uint64(uint32(id))) }

// mix spreads neighbouring numbers over all bits. It is the finaliser of SplitMix64 (Steele, Lea, Flood. Fast splittable
// pseudorandom number generators. OOPSLA 2014), a bijection.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
