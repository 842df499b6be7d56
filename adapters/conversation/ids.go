package conversation

import "strconv"

// IDs gives each call of a conversation an id of its own, for dialects that pair calls and results by id: servers that count
// calls anew in each turn say the same id again. The zero value is ready.
type IDs struct {
	used map[string]bool
	next map[string]int
}

// Of returns id, with a number behind it if there was such an id before. A call without an id is named call.
func (s *IDs) Of(id []byte) []byte {
	if s.used == nil {
		s.used, s.next = map[string]bool{}, map[string]int{}
	}
	base := string(id)
	if base == "" {
		base = "call"
	}
	name := base
	for n := max(s.next[base], 2); s.used[name]; n++ {
		name = base + "_" + strconv.Itoa(n)
		s.next[base] = n + 1
	}
	s.used[name] = true
	return []byte(name)
}
