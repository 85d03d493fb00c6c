package progress

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8/cwriter"
)

// Terminal returns w as a file, and whether it is a terminal.
func Terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && cwriter.IsTerminal(int(f.Fd()))
}

// Size returns the columns and rows of a terminal: 100 and 40 if they are unknown or too small for a table.
func Size(terminal *os.File) (columns, rows int) {
	if columns, rows, err := cwriter.GetSize(int(terminal.Fd())); err == nil && columns > 20 && rows > 5 {
		return columns, rows
	}
	return 100, 40
}

// EverySecond calls draw every second until stop is called. stop waits until a running call has ended; it may be called again.
func EverySecond(draw func()) (stop func()) {
	ended := make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Go(func() {
		each := time.NewTicker(time.Second)
		defer each.Stop()
		for {
			select {
			case <-ended:
				return
			case <-each.C:
				draw()
			}
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		ticking.Wait()
	})
}

// Clock writes a duration in minutes and seconds, such as 1:02.
func Clock(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
