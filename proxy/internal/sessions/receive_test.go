package sessions

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// spelledDriver takes lines by their first letters.
type spelledDriver struct{}

func (spelledDriver) Turn(dst []byte, _ *hub.Request, _ *hub.Losses) ([]byte, hub.TurnState, error) {
	return dst, hub.TurnRuns, nil
}

func (spelledDriver) Cancel(dst []byte) []byte { return dst }

func (spelledDriver) Receive(dst, line []byte) ([]byte, hub.Received) {
	switch line[0] {
	case 'h':
		return dst, hub.Received{Hidden: true}
	case 'r':
		return append(dst, "reply\n"...), hub.Received{}
	case 's':
		return dst, hub.Received{Session: line}
	case 'w':
		return dst, hub.Received{Turn: hub.TurnWaits}
	case 'o':
		return dst, hub.Received{Turn: hub.TurnOver}
	}
	return dst, hub.Received{}
}

// TestReceive: lines come through in their order, however many come at once, up to the end of the turn; those that are not shown do not.
func TestReceive(t *testing.T) {
	const all = "a1\na2\nh\na3\ns1\nr\na4\r\na5\nw\na6\nh\na7\no\na8\na9\n"
	want := strings.ReplaceAll(strings.TrimSuffix(all, "a8\na9\n"), "h\n", "")
	lines := strings.SplitAfter(strings.TrimSuffix(all, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	for size := 1; size <= len(lines); size++ {
		s := &session{pool: &Pool{cfg: Config{Dialect: &hub.Dialect{Processes: &hub.Processes{}}}}, state: running}
		s.room.L = &s.mu
		s.turn = &Turn{session: s, ready: make(chan struct{}, 1)}
		p := &peer{driver: spelledDriver{}, outbox: make(chan []byte, maxOutbox)}
		s.peer = p
		var buf, got []byte
		for at := 0; at < len(lines); at += size {
			buf = append(buf[:0], strings.Join(lines[at:min(at+size, len(lines))], "")...)
			buf = s.receive(p, buf)
			if at%2 == 0 {
				got, _ = s.turn.Take(got)
			}
		}
		s.stopTimer()
		got, _ = s.turn.Take(got)
		if string(got) != want || string(s.id) != "s1" || len(p.outbox) != 1 || s.state != idle {
			t.Errorf("%d at once: state %d, session %s, %d replies, %q, want %q", size, s.state, s.id, len(p.outbox), got, want)
		}
	}
}
