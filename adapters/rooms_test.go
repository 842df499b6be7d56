package adapters_test

import (
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
)

const (
	roomsPage  = "../CONTRIBUTING.md"
	roomsBegin = "<!-- rooms: made by go test ./adapters -run TestRooms -update -->\n"
	roomsEnd   = "<!-- end of rooms -->\n"
)

// TestRooms compares the picture of the packages and their imports in CONTRIBUTING.md with what is imported.
func TestRooms(t *testing.T) {
	page, err := os.ReadFile(roomsPage)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(page), roomsBegin)
	_, tail, closed := strings.Cut(rest, roomsEnd)
	if !ok || !closed {
		t.Fatalf("%s has no place between %q and %q", roomsPage, roomsBegin, roomsEnd)
	}
	adaptertest.Generated(t, roomsPage, head+roomsBegin+drawRooms(roomImports(t))+roomsEnd+tail)
}

// room is the name by which a folder stands in the picture: all dialects are one, and so are the folders of tests and tools.
func room(folder string) string {
	switch {
	case slices.ContainsFunc([]string{"bench", "conformance", "cmd", "deploy"}, func(of string) bool { return strings.HasPrefix(folder, of) }):
		folder, _, _ = strings.Cut(folder, "/")
	case isDialect(folder):
		return "adapters/<dialect>"
	case strings.HasPrefix(folder, "adapters/internal/") && folder != "adapters/internal/rawjson":
		return "adapters/internal/…"
	}
	return folder
}

func isDialect(folder string) bool {
	name := strings.TrimPrefix(folder, "adapters/")
	return folder == "adapters/declared" || folder == "adapters/skeleton" ||
		slices.ContainsFunc(adapters.Names(), func(n string) bool { return n != "native" && strings.ReplaceAll(n, "-", "") == name })
}

// roomImports are the rooms that each room imports.
func roomImports(t *testing.T) map[string][]string {
	rooms := map[string][]string{}
	for _, folder := range packageFolders(t) {
		pkg, err := build.Default.ImportDir(filepath.Join("..", folder), 0)
		if err != nil {
			continue // nothing but tests, or not for this system
		}
		from := room(folder)
		rooms[from] = append(rooms[from], "")
		for _, imp := range pkg.Imports {
			if to, ok := strings.CutPrefix(imp, module); ok && room(to) != from {
				rooms[from] = append(rooms[from], room(to))
			}
		}
	}
	for from, list := range rooms {
		slices.Sort(list)
		rooms[from] = slices.Compact(list)[1:] // without the empty name
	}
	return rooms
}

// drawRooms lists the rooms by floors: each imports only from floors below its own.
func drawRooms(rooms map[string][]string) string {
	var names []string
	for name := range rooms {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := floor(rooms, b) - floor(rooms, a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var out strings.Builder
	out.WriteString("```\nfloor  package                  imports\n")
	for _, name := range names {
		line := fmt.Sprintf("%5d  %-24s %s", floor(rooms, name), name, strings.Join(rooms[name], ", "))
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String() + "```\n"
}

// floor is how many rooms stand below one, in the longest line of imports.
func floor(rooms map[string][]string, name string) (n int) {
	for _, below := range rooms[name] {
		n = max(n, floor(rooms, below)+1)
	}
	return n
}
