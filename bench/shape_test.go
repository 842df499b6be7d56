package bench_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/bench"
)

// BenchmarkShape moves streams as servers really write them through the engine of the proxy, from every dialect that has any to
// every other.
func BenchmarkShape(b *testing.B) {
	eachShape(func(from *hub.Dialect, p bench.Part) {
		eachTarget(from, func(from, to *hub.Dialect) {
			b.Run(from.Name+"/"+to.Name+"/"+string(p), func(b *testing.B) { perEvent(b, deltas, steady(b, from, to, p)) })
		})
	})
}

func eachShape(f func(from *hub.Dialect, p bench.Part)) {
	for _, from := range adapters.All() {
		for _, p := range bench.Shapes(from) {
			f(from, p)
		}
	}
}

// TestShapesAreRight makes sure that shapes are streams of their dialects: all deltas are read, in order, and nothing is refused.
func TestShapesAreRight(t *testing.T) {
	eachShape(func(d *hub.Dialect, p bench.Part) {
		script, err := bench.NewLongScript(d, p, deltas)
		if err != nil {
			t.Fatal(err)
		}
		if err := bench.CheckMarks(marksOf(t, d, p, script.Bytes()), deltas, 1); err != nil {
			t.Errorf("%s, %s: %v", d.Name, p, err)
		}
	})
}

// TestShapesWithMarks sets the marks of shapes, as paced streams do, and finds them again; a delta that is not there is noticed.
func TestShapesWithMarks(t *testing.T) {
	const count, step = 30, 5
	eachShape(func(d *hub.Dialect, p bench.Part) {
		script, err := bench.NewLongScript(d, p, count)
		if err != nil {
			t.Fatal(err)
		}
		for i, delta := range script.Deltas {
			bench.SetMarks(delta, uint32(i)*step+7)
		}
		if err := bench.CheckShape(d, script.Bytes(), count, step); err != nil {
			t.Errorf("%s, %s: %v", d.Name, p, err)
		}
		script.Deltas[5] = script.Deltas[4]
		if bench.CheckShape(d, script.Bytes(), count, step) == nil {
			t.Errorf("%s, %s: a delta is not there, and one twice", d.Name, p)
		}
	})
}

var unknown = regexp.MustCompile(`\{\{[a-z]+\}\}`)

// TestShapesVary makes sure that every name stands for something, and that every file is of a dialect that is.
func TestShapesVary(t *testing.T) {
	shapes := 0
	eachShape(func(d *hub.Dialect, p bench.Part) {
		shapes++
		script, err := bench.NewLongScript(d, p, 3)
		if err != nil {
			t.Fatal(err)
		}
		if name := unknown.Find(script.Bytes()); name != nil {
			t.Errorf("%s, %s: %s stands for nothing", d.Name, p, name)
		}
	})
	files, err := os.ReadDir("testdata/shapes")
	if err != nil {
		t.Fatal(err)
	}
	if text := 3; shapes != len(files)-text { // those of cursor-cli, gemini-cli and openai-agents, which are only decoded
		t.Errorf("%d of %d files are shapes", shapes, len(files))
	}
}
