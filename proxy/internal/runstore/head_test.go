package runstore

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestFormat: a run of another version of Sabir is not read; those of both formats are.
func TestFormat(t *testing.T) {
	t.Parallel()
	one := open(t, address(t), 1000)
	if err := one.client.Set(context.Background(), one.key("head", "new"), `{"format": 99}`, time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := one.Head("new"); !errors.Is(err, ErrFormat) {
		t.Errorf("got %v", err)
	}
	for format, data := range map[int]string{FormatEvents: `{"format": 1}`, FormatRecords: `{"format": 2}`} {
		if err := one.client.Set(context.Background(), one.key("head", "known"), data, time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
		if head, err := one.Head("known"); err != nil || head.Format != format {
			t.Errorf("%s: got %+v, %v", data, head, err)
		}
	}
}
