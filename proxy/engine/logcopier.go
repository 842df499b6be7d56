package engine

import "github.com/sabir-proxy/sabir/adapters/wire"

// LogFraming is how records are framed in a log, whatever their agent does: event streams keep all that a record has.
const LogFraming = wire.SSE

// CopyToLog makes a copier that writes to a log. Where the agent does not end the stream itself, it writes no end: readers of other dialects
// would take it for the agent's. What is to be said is in Unsaid then.
func CopyToLog(c Config) *Copier {
	k := NewCopier(c, wire.NewOut(LogFraming), false)
	k.toLog = true
	return k
}

// CopyFromLog makes a copier for a client that reads such a log. The stream is recognised already, and what is behind its end belongs to it.
// Each record is framed anew: the client may have some of them, and comes back by their numbers.
func CopyFromLog(c Config, out *wire.Out) *Copier {
	c.Framing = LogFraming
	k := NewCopier(c, out, false)
	k.dec, k.fromLog = nil, true
	return k
}
