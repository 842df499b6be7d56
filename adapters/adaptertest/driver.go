package adaptertest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/native"
)

// Drives plays the talks with agents in testdata/talks to the driver of a dialect. Each line of a talk begins with a character and a
// space:
//
//	# where it comes from, and other remarks
//	s a session to go on with, and options: {"id":…,"model":…,"options":{…}}
//	? a request, in the native dialect: a turn is asked for
//	x the turn is cancelled
//	< a line of the agent
//	> what the driver has to send, a line each
//	= what it has to say, if it is not that the turn runs
//
// What is sent and said is rewritten by -update.
func Drives(t *testing.T, d *hub.Dialect) {
	if d.Processes.ExitEnds && !d.Processes.OneTurn {
		t.Error("a process that holds several turns cannot end each of them by its exit")
	}
	for _, name := range talks(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, d, want)
			if *update {
				err = os.WriteFile(name, got, 0o644)
			} else if !bytes.Equal(got, want) {
				t.Errorf("the driver says something else:\n%s", diff(string(want), string(got)))
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func talks(t testing.TB) []string {
	names, err := filepath.Glob("testdata/talks/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no talks: %v", err)
	}
	return names
}

// play returns the talk as the driver has it.
func play(t *testing.T, d *hub.Dialect, talk []byte) (got []byte) {
	session := &hub.Session{Dir: "/home/dev/project", Options: d.Defaults()}
	var s speaker
	for line := range bytes.Lines(talk) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		kind, text := line[0], line[min(2, len(line)):]
		if kind == '>' || kind == '=' {
			continue
		}
		got = append(append(got, line...), '\n')
		if kind == 's' {
			session.ID, session.Model = rawjson.Text(text, "id"), rawjson.Text(text, "model")
			session.Options = optionsOf(t, d, text)
			continue
		}
		if s.driver == nil && kind != '#' {
			s.driver = d.Processes.NewDriver(session)
		}
		sent, said := s.step(t, kind, text)
		if err := checkSent(d, sent); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for out := range bytes.Lines(sent) {
			got = append(append(append(got, "> "...), bytes.TrimSuffix(out, []byte("\n"))...), '\n')
		}
		if said != "" {
			got = append(append(got, "= "...), said+"\n"...)
		}
	}
	return got
}

// optionsOf are the options that a line of a talk sets.
func optionsOf(t *testing.T, d *hub.Dialect, text []byte) hub.Options {
	raw := map[string]any{}
	for name, value := range rawjson.EachField(rawjson.Get(text, "options")) {
		text, _ := rawjson.Str(value)
		raw[string(name)] = string(rawjson.AppendUnescaped(nil, text))
	}
	options, problems := d.ParseOptions(raw)
	for _, problem := range problems {
		t.Fatalf("%s: %v", text, problem)
	}
	return options
}

// speaker moves the lines of a talk.
type speaker struct{ driver hub.Driver }

// step does what a line of a talk says.
func (s *speaker) step(t testing.TB, kind byte, text []byte) (sent []byte, said string) {
	switch kind {
	case '?':
		var req hub.Request
		if err := native.Dialect.Requests.DecodeRequest(&req, text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var l hub.Losses
		sent, state, err := s.driver.Turn(nil, &req, &l)
		if err != nil && len(sent) > 0 {
			t.Fatalf("a turn that is refused (%v) sends %s", err, sent)
		}
		return sent, saidOf(&hub.Received{Turn: state}, err, l.Names)
	case '<':
		sent, in := s.driver.Receive(nil, text)
		return sent, saidOf(&in, nil, nil)
	case 'x':
		return s.driver.Cancel(nil), ""
	}
	return nil, ""
}

var stateNames = [...]string{hub.TurnRuns: "", hub.TurnWaits: "waits", hub.TurnOver: "over"}

func saidOf(in *hub.Received, err error, lost []string) string {
	said := []string{stateNames[in.Turn]}
	if in.Hidden {
		said = append(said, "hidden")
	}
	if len(in.Session) > 0 {
		said = append(said, "session "+string(in.Session))
	}
	if in.Failure != nil {
		said = append(said, "failure "+in.Failure.Error()+" | "+in.Failure.Text())
	}
	if err != nil {
		said = append(said, "error "+err.Error())
	}
	if lost = append(lost, in.Lost...); len(lost) > 0 {
		said = append(said, fmt.Sprint("lost ", lost))
	}
	return strings.TrimSpace(strings.Join(said, " "))
}

// checkSent holds what every driver promises of what it sends: whole lines, each of them one JSON object. A prompt may be anything.
func checkSent(d *hub.Dialect, sent []byte) error {
	if d.Processes.OneTurn {
		return nil
	}
	if len(sent) > 0 && sent[len(sent)-1] != '\n' {
		return fmt.Errorf("what is sent does not end with a line feed: %s", sent)
	}
	var json rawjson.Decoder
	for line := range bytes.Lines(sent) {
		line = line[:len(line)-1]
		err := json.Valid(line)
		if err == nil && (rawjson.Kind(line) != '{' || bytes.IndexByte(line, '\r') >= 0) {
			err = errors.New("not an object in one line")
		}
		if err != nil {
			return fmt.Errorf("a line that is sent is wrong: %s: %w", line, err)
		}
	}
	return nil
}

// FuzzDriver lets an agent send anything, between turns and answers of the talks. The laws: nothing panics; what is sent is JSON in
// lines; and it is bounded by what was received and asked for.
func FuzzDriver(f *testing.F, d *hub.Dialect) {
	for _, name := range talks(f) {
		talk, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(talk)
	}
	f.Fuzz(func(t *testing.T, talk []byte) {
		s, sum := speaker{driver: d.Processes.NewDriver(&hub.Session{Dir: "/work", Options: d.Defaults()})}, 0
		for line := range bytes.Lines(talk) {
			kind, text := line[0], bytes.TrimSuffix(line[min(2, len(line)):], []byte("\n"))
			if kind == '?' && native.Dialect.Requests.DecodeRequest(new(hub.Request), text) != nil {
				continue
			}
			sent, _ := s.step(t, kind, text)
			if err := checkSent(d, sent); err != nil {
				t.Fatal(err)
			}
			sum += len(sent)
		}
		if most := 16*len(talk) + 1<<16; sum > most {
			t.Fatalf("%d bytes of a talk send %d", len(talk), sum)
		}
	})
}
