package bench

import (
	"bytes"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// A shape is a stream as a server really writes it: its deltas differ not in their texts alone, but in ids, times, counts and
// the like, and those of several parts may alternate. testdata/shapes/DIALECT.PART.txtar has one, made after recordings, in three
// sections of wire: head, deltas and tail. Each record of deltas with a mark is a delta; they come over and over, with other
// values in the place of names such as {{n}}, see [varied].
//
//go:embed testdata/shapes
var shapeFiles embed.FS

const shapeDir = "testdata/shapes"

// Shapes lists the parts that testdata has for a dialect, besides those of [Parts].
func Shapes(d *hub.Dialect) (parts []Part) {
	files, err := shapeFiles.ReadDir(shapeDir)
	if err != nil {
		return nil
	}
	for _, f := range files {
		name, ok := strings.CutPrefix(strings.TrimSuffix(f.Name(), ".txtar"), d.Name+".")
		if ok && Part(name) != AnswerPart {
			parts = append(parts, Part(name))
		}
	}
	return parts
}

// shaped makes a script of such a file, nil if there is none.
func shaped(d *hub.Dialect, p Part, count int) (*Script, error) {
	text, _ := shapeFiles.ReadFile(shapeDir + "/" + d.Name + "." + string(p) + ".txtar")
	if text == nil {
		return nil, nil
	}
	s := &Script{Dialect: d}
	var cycle [][]byte
	for _, section := range txtar.Parse(text).Files {
		switch section.Name {
		case "head":
			s.Head = section.Data
		case "deltas":
			cycle = cutDeltas(section.Data)
		case "tail":
			s.Tail = section.Data
		}
	}
	if len(cycle) == 0 {
		return nil, fmt.Errorf("the shape %s of %s has no delta", p, d.Name)
	}
	for i := range count {
		s.Deltas = append(s.Deltas, varied(cycle[i%len(cycle)], i))
	}
	return s, nil
}

// cutDeltas cuts behind each record with a mark; what comes before one is a part of it.
func cutDeltas(all []byte) (pieces [][]byte) {
	var piece []byte
	marked := false
	for line := range bytes.Lines(all) {
		if marked && len(bytes.TrimSpace(line)) > 0 {
			pieces, piece, marked = append(pieces, piece), nil, false
		}
		piece = append(piece, line...)
		marked = marked || FindMark(line) >= 0
	}
	if marked {
		pieces = append(pieces, piece)
	}
	return pieces
}

// began is when the first delta of a shape was made.
var began = time.Date(2026, 11, 21, 11, 29, 14, 112e6, time.UTC)

// varied returns delta i of a shape, whose mark has that number. What varies depends on i alone.
func varied(delta []byte, i int) []byte {
	at, some := began.Add(time.Duration(i)*7*time.Millisecond), noise(i)
	return []byte(strings.NewReplacer(
		string(AppendMark(nil, 0)), string(AppendMark(nil, uint32(i))),
		"{{n}}", strconv.Itoa(i+1),
		"{{sum}}", strconv.Itoa(i+21),
		"{{s}}", strconv.FormatInt(at.Unix(), 10),
		"{{ms}}", strconv.FormatInt(at.UnixMilli(), 10),
		"{{float}}", fmt.Sprintf("%d.%d", at.Unix(), 1+some%9999999),
		"{{time}}", at.Format("2006-01-02T15:04:05.000Z"),
		"{{prob}}", fmt.Sprintf("-%d.%d", some%3, 1+some>>8%9999999),
		"{{pad}}", "aB3dE6gH9jK2mN5pQ"[:1+some%16],
		"{{hex}}", fmt.Sprintf("%016x", some),
		"{{uuid}}", fmt.Sprintf("%08x-%04x-4b8a-8000-%012x", uint32(some), uint16(some>>32), i),
	).Replace(string(delta)))
}

// noise is a number that i says nothing of, the same whenever it is asked for.
func noise(i int) uint64 {
	x := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	return (x ^ x>>31) * 0xbf58476d1ce4e5b9
}
