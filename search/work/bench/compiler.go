package bench

import (
	"os"
	"os/exec"
	"strings"
)

// compiler returns the first line of what the C compiler says about itself; "" if there is none.
func compiler() string {
	cc := strings.Fields(os.Getenv("CC"))
	if len(cc) == 0 {
		cc = []string{"gcc"}
	}
	said, err := exec.Command(cc[0], append(cc[1:], "--version")...).Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(said), "\n")
	return line
}
