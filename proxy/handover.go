package proxy

import (
	"context"
	"net"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// Replaced says that another process serves new connections to the listening socket. Serve goes on with what is open here, and returns
// when that has ended, at the latest after timeouts.restart; once its context is done, after timeouts.drain. It is called once.
func (s *Server) Replaced() { close(s.replaced) }

// handOver serves what has come to this process until that has ended. The listening socket is closed here only: the other process has it.
func (s *Server) handOver(ctx context.Context, ln net.Listener) {
	limits := s.table.Load().cfg.Timeouts
	s.log.Info("another process serves now", zap.Int64("streams", s.open.Load()), zap.Duration("grace", limits.Restart))
	_ = ln.Close()
	s.idleConns.CloseUsed()
	ending, cancel := context.WithTimeout(ctx, inbound.FinalWriteTimeout)
	defer cancel()
	s.http2.GoAway(ending)
	_ = s.http.ShutdownWithContext(ending) // requests that are on their way are served; those that begin a stream are waited for below
	s.refuse()
	grace := limits.Restart
	if grace == 0 {
		grace = forever
	}
	s.drainUntil(ctx, grace, limits.Drain)
}

// forever is longer than any stream.
const forever = 10 * 365 * 24 * time.Hour
