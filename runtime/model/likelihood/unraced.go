//go:build !race

package likelihood

const raced = false
