//go:build linux

package sessions

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// scriptDriver asks a shell for what the user says, and takes the lines that come by their first letters.
type scriptDriver struct{ spelledDriver }

func (scriptDriver) Turn(dst []byte, req *hub.Request, _ *hub.Losses) ([]byte, hub.TurnState, error) {
	return append(append(dst, req.Messages[0].Parts[0].Text...), '\n'), hub.TurnRuns, nil
}

func (scriptDriver) Cancel(dst []byte) []byte { return append(dst, "echo over\n"...) }

type silent struct{ ended chan string }

func (s silent) Process(started bool, how string) {
	if !started {
		s.ended <- how
	}
}
func (silent) Outgrown(error)   {}
func (silent) Stderr() Stderr   { return nil }
func (silent) Asks(string, int) {}

// shellTurn begins a turn of an agent that does what a line of the shell says.
func shellTurn(t *testing.T, script string) (*Pool, *Turn, silent) {
	t.Helper()
	about := silent{make(chan string, 1)}
	pool := NewPool(Config{
		Command: []string{"/bin/sh"}, MaxLine: 1 << 20, Max: 1, Sessions: 1, Idle: time.Hour, Keep: time.Hour, Observer: about, Env: os.Environ(),
		Dialect: &hub.Dialect{Processes: &hub.Processes{NewDriver: func(*hub.Session) hub.Driver { return scriptDriver{} }}},
	})
	t.Cleanup(pool.Close)
	req := &hub.Request{Messages: []hub.Message{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(script)}}}}}
	turn, f := pool.Begin(Call{Scope: "s", Thread: "t", Request: req, Losses: new(hub.Losses), Until: time.Now().Add(2 * time.Minute)})
	if f != nil {
		t.Fatal(f)
	}
	return pool, turn, about
}

// readAll reads a turn to its end as a stream does.
func readAll(t *testing.T, turn *Turn) (got string, err error) {
	t.Helper()
	var piece []byte
	for until := time.Now().Add(2 * time.Minute); ; {
		if piece, err = turn.Read(piece[:0], until); err != nil {
			return got, err
		}
		if got += string(piece); len(piece) == 0 {
			select {
			case <-turn.Ready():
			case <-time.After(2 * time.Minute):
				t.Fatalf("nothing came behind %q", got)
			}
		}
	}
}

// TestReadTurn: all lines of a turn come in their order, whoever reads them from the process, and its end is one, whatever ends it.
func TestReadTurn(t *testing.T) {
	var lines strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&lines, "a%d\n", i)
	}
	const loop = `i=0; while [ $i -lt 2000 ]; do echo a$i; [ $((i % 400)) = 0 ] && sleep 0.01; i=$((i+1)); done; `
	for _, c := range []struct {
		name, script, want string
		err                error
	}{
		{"over", loop + "echo over", lines.String() + "over\n", io.EOF},
		{"question", loop + "echo why", lines.String() + "why\n", io.EOF},
		{"exit", loop + "exit 3", lines.String(), hub.Fail(hub.CodeReset, nil)},
		{"half a line", loop + "printf broken; exit 3", lines.String() + "broken\n", hub.Fail(hub.CodeReset, nil)},
		{"nothing", "sleep 0.1; exit 3", "", hub.Fail(hub.CodeReset, nil)},
		{"hidden lines", "echo a; echo hidden; echo b; echo over", "a\nb\nover\n", io.EOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, turn, _ := shellTurn(t, c.script)
			got, err := readAll(t, turn)
			var f *hub.Failure
			if failed := errors.As(err, &f); got != c.want || failed != (c.err != io.EOF) || failed && f.Code != hub.CodeReset || !failed && err != c.err {
				t.Errorf("got %d bytes and %v, want %d and %v", len(got), err, len(c.want), c.err)
			}
			turn.Leave(0)
		})
	}
}

// TestReadTurnWaits: a reader returns at its time, and when it is released; from then on, it is the session that reads, so that a turn which
// no client reads comes to its end.
func TestReadTurnWaits(t *testing.T) {
	pool, turn, _ := shellTurn(t, "echo a")
	for got := ""; got != "a\n"; {
		piece, err := turn.Read(nil, time.Now().Add(time.Second))
		if got += string(piece); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("got %q and %v", got, err)
		}
	}
	waits := func(until time.Time) (err error) {
		for end := time.Now().Add(2 * time.Minute); err == nil && time.Now().Before(end); { // until its goroutine lets go of the process
			_, err = turn.Read(nil, until)
		}
		return err
	}
	if err := waits(time.Now().Add(20 * time.Millisecond)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("got %v at its time", err)
	}
	var reader sync.WaitGroup
	reader.Go(func() {
		if _, err := turn.Read(nil, time.Now().Add(time.Hour)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %v when it was released", err)
		}
	})
	time.Sleep(20 * time.Millisecond)
	turn.Release()
	reader.Wait()
	if piece, err := turn.Read(nil, time.Now().Add(time.Hour)); len(piece) > 0 || err != nil {
		t.Errorf("got %q and %v behind the release", piece, err)
	}
	turn.Leave(0)
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Millisecond) {
		s := turn.session
		s.mu.Lock()
		over := s.state == idle
		s.mu.Unlock()
		if over {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the cancelled turn does not end")
		}
	}
	if c := pool.Counts(); c.Processes != 1 {
		t.Errorf("%d processes", c.Processes)
	}
}

// TestReadTurnStopped: a reader that waits for the process gets the failure when the pool is closed, long before the process is gone.
func TestReadTurnStopped(t *testing.T) {
	pool, turn, about := shellTurn(t, "trap '' TERM HUP; echo a; while :; do sleep 0.1; done")
	for got := ""; got != "a\n"; {
		piece, err := turn.Read(nil, time.Now().Add(time.Second))
		if got += string(piece); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("got %q and %v", got, err)
		}
	}
	var closing sync.WaitGroup
	closing.Go(pool.Close)
	got, err := readAll(t, turn)
	var f *hub.Failure
	if !errors.As(err, &f) || f.Code != hub.CodeShutdown || got != "" {
		t.Errorf("got %q and %v", got, err)
	}
	select {
	case how := <-about.ended:
		t.Errorf("the process was gone before, %s", how)
	default:
	}
	turn.Leave(0)
	closing.Wait()
	<-about.ended
}
