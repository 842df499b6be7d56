package wire

import (
	"errors"
	"testing"
)

// TestTooLargeMessage: a message of exactly the limit is a record; a longer one is an error from its first byte on.
func TestTooLargeMessage(t *testing.T) {
	s := NewSplitter(WebSocket, 4)
	if rec, n, err := s.Split([]byte("1234"), true); string(rec.Data) != "1234" || n != 4 || err != nil {
		t.Errorf("%q, %d, %v", rec.Data, n, err)
	}
	s = NewSplitter(WebSocket, 4)
	_, n, err := s.Split([]byte("12345"), true)
	var e *Error
	if !errors.As(err, &e) || e.Reason != ReasonTooLarge || e.Offset != 0 || n != 0 {
		t.Errorf("%d, %+v", n, err)
	}
}
