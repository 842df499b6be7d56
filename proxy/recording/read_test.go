package recording

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	header = `{"recording":1,"from":"a","to":"b","form":"content"}`
	end    = `{"type":"end","t":2,"ending":"done"}`
)

func readLines(lines ...string) (*Run, error) {
	return Read("f", strings.NewReader(strings.Join(lines, "\n")+"\n"))
}

// TestReadErrors: what is wrong with a file is said with its line.
func TestReadErrors(t *testing.T) {
	f := func(want string, lines ...string) {
		t.Helper()
		if _, err := readLines(lines...); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := Read("f", strings.NewReader("")); !errors.Is(err, errEmpty) || err.Error() != "f:0: the file is empty, and no recording" {
		t.Errorf("of nothing: %v", err)
	}
	f("f:1: not a recording", `{"type":"x"}`)
	f("f:1: not a recording", `{"recording":"x"}`)
	f("f:1: not a recording", "data: x")
	f("f:1: version 2 of the format; this program reads version 1", `{"recording":2,"from":"a","to":"b","form":"content"}`)
	f("f:1: the header lacks from or to", `{"recording":1,"to":"b","form":"content"}`)
	f("f:1: the header lacks from or to", `{"recording":1,"from":"a","form":"content"}`)
	f(`f:1: the header has the form "x"`, `{"recording":1,"from":"a","to":"b","form":"x"}`)
	f("f:1: the file was cut", header)
	f("f:2: the file was cut", header, `{"type":"in","t":1}`)
	f("f:3: a line after the end", header, end, end)
	f("f:2: not a line of a recording", header, `{"type":`)
	f("f:3: t is 0.5, earlier than in the line before, 1", header, `{"type":"in","t":1}`, `{"type":"in","t":0.5}`)
	f(`f:2: the type "x" is not known`, header, `{"type":"x"}`)
	f("f:2: t is -1; times begin at 0", header, `{"type":"in","t":-1}`)
	f("f:2: an event line without the member event", header, `{"type":"event"}`)
	f("f:2: base64: illegal", header, `{"type":"in","base64":"%"}`)
	if _, err := Read("f", io.MultiReader(strings.NewReader(header+"\n"), broken{})); err == nil || err.Error() != "f:2: broken" {
		t.Errorf("from a file that cannot be read: %v", err)
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was read")
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }

// TestRead: a recording of every type of line, with lines at the same time, is read as it was written.
func TestRead(t *testing.T) {
	all := []string{header}
	for _, typ := range types[:len(types)-1] {
		all = append(all, fmt.Sprintf(`{"type":%q,"t":1.5,"side":"agent","event":{},"base64":"/w=="}`, typ))
	}
	run, err := readLines(append(all, end)...)
	if err != nil || len(run.Lines) != len(types) || run.File != "f" || run.From != "a" || run.Form != Content {
		t.Fatalf("%+v, %v", run, err)
	}
	first := run.Lines[0]
	if data, err := first.Payload(); string(data) != "\xff" || err != nil || first.After() != 1500*time.Microsecond {
		t.Errorf("%q at %s, %v", data, first.After(), err)
	}
	if Millis(first.After()) != 1.5 {
		t.Errorf("%g ms", Millis(first.After()))
	}
	if got := string(run.Written()); got != "\xff" {
		t.Errorf("written was %q", got)
	}
	if run.Request(Agent) != &run.Lines[0] || run.Request(Client) != nil {
		t.Errorf("requests are %v and %v", run.Request(Agent), run.Request(Client))
	}
}

// TestReplayable: only a run whose records are all there can be replayed.
func TestReplayable(t *testing.T) {
	f := func(want string, lines ...string) {
		t.Helper()
		run, err := readLines(lines...)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := run.Replayable(); err != nil {
			got = err.Error()
		}
		if got == "" != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	in := `{"type":"in","t":1,"n":7,"data":"{}"}`
	f("", header, `{"type":"out","shape":{}}`, in, end)
	f("f: has shapes in place of content", strings.Replace(header, "content", "shapes", 1), in, end)
	f("f: 3 lines of the run had no room", header, in, `{"type":"end","t":2,"dropped":3}`)
	f("f: record 7 has no content", header, `{"type":"in","t":1,"n":7,"shape":{}}`, end)
	f("f: the agent has sent no record", header, `{"type":"out","data":"x"}`, end)
}
