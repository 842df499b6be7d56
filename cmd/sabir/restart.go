package main

import (
	"context"
	"os"

	"go.uber.org/zap"
)

// restarter lets another process take over: the program as it is on disk now, with the same arguments and sockets.
type restarter struct {
	sockets *sockets
	log     *zap.Logger
	signals <-chan os.Signal
}

// run waits for a signal that asks for a hot restart, and reports whether another process serves now. A new one that does not come to
// serve, as with a faulty configuration, changes nothing.
func (r *restarter) run(ctx context.Context) (relieved bool) {
	for {
		select {
		case <-ctx.Done():
			notifySystemd("STOPPING=1")
			return false
		case <-r.signals:
			r.log.Info("hot restart: a new process begins")
			err := r.sockets.replace()
			if err == nil {
				r.log.Info("hot restart: the new process serves; streams that run here go on to their end")
				return true
			}
			r.log.Error("hot restart: the new process does not serve; this one goes on", zap.Error(err))
		}
	}
}
