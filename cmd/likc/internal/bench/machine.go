package bench

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"

	"likc/runtime/isa"
)

// machine is what times depend on.
type machine struct {
	cpu    string // with its number
	vector string // instructions that the vector engine uses; "" if none was timed
	gcc    string // "" if there is none
}

func describeMachine() machine {
	return machine{cpu: fmt.Sprintf("%s, %d CPUs%s", processorName(), runtime.NumCPU(), widest()), gcc: compilerName()}
}

// processorName is what Linux calls the processor, with its family and model: some names are short of a number.
func processorName() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOOS + "/" + runtime.GOARCH
	}
	defer f.Close()
	facts := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan() && s.Text() != ""; {
		key, value, _ := strings.Cut(s.Text(), ":")
		facts[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	name := facts["model name"]
	if name == "" {
		return runtime.GOOS + "/" + runtime.GOARCH
	}
	return fmt.Sprintf("%s (family %s, model %s)", strings.Join(strings.Fields(name), " "), facts["cpu family"], facts["model"])
}

// widest names the widest vectors that kernels use.
func widest() string {
	if best := isa.Best(); best > isa.Portable {
		return ", " + best.String()
	}
	return ""
}
