package runstore

import (
	"hash/fnv"
	"strconv"
)

// A cluster holds keys with the same tag, the part in braces, at one server, and reads several streams at once only where they have the
// same. So runs are in groups: what belongs to a run has the tag of its group, and a replica needs a reader for each group of which it
// follows runs, in place of one for each run.

// Groups is how many there are, and how many connections for reading a replica has at most. All replicas must agree, and a cluster can
// have as many masters before some of them hold none.
const Groups = 64

// group is the one that a run or a replica is in, "" where one server has everything.
func (s *Store) group(name string) string {
	if !s.spread {
		return ""
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return "{" + strconv.Itoa(int(h.Sum32()%Groups)) + "}:"
}

func (s *Store) key(kind, name string) string {
	return s.cfg.Prefix + kind + ":" + s.group(name) + name
}

// inbox is the key of what is said to a replica, in a group. The one in the group of its name is for others; by those in the groups of
// runs, a replica wakes its own readers.
func (s *Store) inbox(group, name string) string { return s.cfg.Prefix + "inbox:" + group + name }
