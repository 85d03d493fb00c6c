package interrupt

import (
	"context"
	"errors"
	"testing"
)

func TestUntilDoesNotWaitForWork(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	if x, err := Until(ctx, func() (int, error) { return 7, nil }); x != 7 || err != nil {
		t.Errorf("%d, %v", x, err)
	}
	never := make(chan int)
	defer close(never)
	cancel()
	if _, err := Until(ctx, func() (int, error) { return <-never, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
