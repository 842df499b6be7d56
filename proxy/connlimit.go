package proxy

import (
	"fmt"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// Open files that clients must leave to others: the listeners, the log, the configuration, lookups of names, connections
// of operators, and connections to upstreams that are kept for the next call.
const (
	reservedFiles = 64
	reservedShare = 16 // beside those, one of so many
)

// adminConnections is how many operators may be connected at the same time.
const adminConnections = 32

// leastConnections is how many clients may be connected at least, if nothing else is said and files allow it: those
// without a stream must not keep out the few that may have one.
const leastConnections = 1024

// connectionLimit is how many clients may be connected: what the configuration says, else two for each stream. It is
// never more than half of the open files that are not reserved, since each stream has a connection to an upstream as
// well. files is the limit of open files, 0 for none that is known. 0 is no limit.
func connectionLimit(l config.Limits, files uint64) int {
	limit := l.Connections
	if limit == 0 && l.Streams > 0 {
		limit = max(2*l.Streams, leastConnections)
	}
	const unlimited = 1 << 30
	if files == 0 || files > unlimited {
		return limit
	}
	reserve := min(reservedFiles+files/reservedShare, files/2)
	most := max(int((files-reserve)/2), 1)
	if limit == 0 || limit > most {
		return most
	}
	return limit
}

// withoutFile says why there is no open file for the upstream of another run; nil if there is one. Clients of HTTP/1.1 have a run on each
// connection, and are kept to the limit of connections; one connection of HTTP/2, or a WebSocket with several requests at once, can have many.
// The caller holds s.mu.
func (s *Server) withoutFile(r *route) *hub.Failure {
	most := connectionLimit(config.Limits{}, s.files)
	if most == 0 || s.running < most {
		return nil
	}
	f := r.metrics.limited(hub.CodeLimit, scopeAll)
	f.Cause = fmt.Errorf("the limit of open files leaves room for %d runs", most)
	return f
}
