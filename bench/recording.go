package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A Recording is a stream of a real agent server, as a fixture of its dialect keeps it.
type Recording struct {
	Dialect *hub.Dialect
	Pieces  [][]byte // the records with their framing, one a piece
	said    *reader
}

// LoadRecording reads testdata/NAME.txtar of a dialect; dir is the folder of all dialects. The name of a shape, behind [ShapePrefix],
// is a stream of it.
func LoadRecording(dir string, d *hub.Dialect, name string) (*Recording, error) {
	if shape, ok := strings.CutPrefix(name, ShapePrefix); ok {
		script, err := NewLongScript(d, Part(shape), shapeDeltas)
		if err != nil {
			return nil, err
		}
		return newRecording(d, script.Bytes())
	}
	file := filepath.Join(dir, strings.ReplaceAll(d.Name, "-", ""), "testdata", name+".txtar")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for _, section := range txtar.Parse(text).Files {
		if section.Name == "wire" {
			return newRecording(d, section.Data)
		}
	}
	return nil, fmt.Errorf("%s: no section wire", file)
}

// ShapePrefix is before the name of a shape, see [Shapes].
const ShapePrefix = "shape-"

// shapeDeltas is how long a stream of a shape is.
const shapeDeltas = 500

func newRecording(d *hub.Dialect, body []byte) (r *Recording, err error) {
	r = &Recording{Dialect: d}
	if r.said, err = read(d, body); err != nil {
		return nil, err
	}
	split := wire.NewSplitter(d.Framing, 0)
	for rest, piece := body, 0; len(rest) > 0; {
		rec, n, err := split.Split(rest[piece:], true)
		if err != nil {
			return nil, err
		}
		if piece += n; rec.Data != nil || n == 0 {
			r.Pieces = append(r.Pieces, rest[:piece])
			rest, piece = rest[piece:], 0
		}
		if n == 0 {
			break
		}
	}
	return r, nil
}

// Check says what is wrong with body, which should be the recording in dialect d: the answer, the arguments of all calls
// and how the run ended are the same to a reader.
func (r *Recording) Check(d *hub.Dialect, body []byte) error {
	got, err := read(d, body)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(got.text, r.said.text):
		return fmt.Errorf("the answer is %.200q, want %.200q", got.text, r.said.text)
	case !bytes.Equal(got.args, r.said.args):
		return fmt.Errorf("the arguments are %.200q, want %.200q", got.args, r.said.args)
	case got.end != r.said.end:
		return fmt.Errorf("the run ended as %q, want %q", got.end, r.said.end)
	}
	return nil
}
