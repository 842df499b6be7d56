package runstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// A run that says more than is held of it has a short form of its beginning, under a key of its own. Entries that it stands for are let go
// of with the command behind the one that writes it: so a reader that misses entries finds what stands for them.

// short is the short form of the beginning of a run.
type short struct {
	Of     int64 `json:"of"`     // so many bytes it stands for
	Number int64 `json:"number"` // the last entry that it stands for as a whole
	Rest   int64 `json:"rest"`   // so many bytes of those behind it
	data   []byte
}

// Shorten says what stands for so many bytes of the beginning of what the run has said. It does not wait.
func (r *Run) Shorten(data []byte, of int64) {
	w := r.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	more := len(data) - r.short.size()
	if r.lost || r.ended || r.limit <= 0 || w.bytes+more > w.store.cfg.Backlog {
		return
	}
	r.short = &short{Of: of, data: data}
	w.queue(r, more)
}

// size is how many bytes wait to be written of it.
func (s *short) size() int {
	if s == nil {
		return 0
	}
	return len(s.data)
}

// takeShort takes the short form that waits, if entries have been sent that it stands for, and lets go of these.
func (r *Run) takeShort() *short {
	s := r.short
	r.short = nil
	if s == nil || len(r.marks) == 0 || int64(r.marks[0].total) > s.Of {
		return nil
	}
	for len(r.marks) > 1 && int64(r.marks[1].total) <= s.Of {
		r.marks = r.marks[1:]
	}
	s.Number, s.Rest = r.marks[0].number, s.Of-int64(r.marks[0].total)
	r.least = max(r.least, s.Number+1)
	return s
}

func (s *short) marshal() []byte {
	head, _ := json.Marshal(s) // never fails
	return append(append(head, '\n'), s.data...)
}

// errShort says that a short form cannot be read.
var errShort = errors.New("the short form of a run cannot be read")

// short returns the short form of the beginning of a run, nil if it has none.
func (s *Store) short(ctx context.Context, token string) (*short, error) {
	text, err := s.cfg.Client.Get(ctx, s.key("short", token)).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}
	head, data, _ := bytes.Cut(text, []byte{'\n'})
	f := &short{data: data}
	if err := json.Unmarshal(head, f); err != nil {
		return nil, fmt.Errorf("%w: %w", errShort, err)
	}
	return f, nil
}

// begin gives the short form of the beginning to the sink, if the first entries are missing and it stands for them.
func (r *Followed) begin(ctx context.Context, list []redis.XMessage) error {
	first, own := numberOf(list[0].ID)
	if own && first == 1 {
		return nil
	}
	f, err := r.store.short(ctx, r.token)
	if err == nil && f != nil && (!own || first <= f.Number+1) {
		r.number, r.rest = f.Number, f.Rest
		r.sink.Restore(f.data, f.Of)
	}
	return err
}
