package upstream

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/config"
)

// checks ask instances in turn whether they can serve.
type checks struct {
	stop context.CancelFunc // nil: none run
	all  sync.WaitGroup
}

// Begin checks the instances of an upstream from now on, if its configuration says so.
func (u *Upstream) Begin() {
	if u.Cfg.Check == nil {
		for _, i := range u.Instances {
			i.state.uncheck()
		}
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	u.checks.stop = stop
	for _, i := range u.Instances {
		u.checks.all.Go(func() { i.checkOften(ctx, u.Cfg.Check) })
	}
}

// end ends the checks.
func (c *checks) end() {
	if c.stop != nil {
		c.stop()
		c.all.Wait()
	}
}

func (i *Instance) checkOften(ctx context.Context, cfg *config.Check) {
	tick := time.NewTicker(cfg.Interval)
	defer tick.Stop()
	for {
		err := i.check(ctx, cfg)
		if ctx.Err() != nil {
			return
		}
		i.state.check(cfg, err)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// check asks once, on a connection of its own: one that is kept says nothing of whether there can be others.
func (i *Instance) check(ctx context.Context, cfg *config.Check) error {
	ctx, cancel := context.WithTimeout(ctx, cfg.Timeout)
	defer cancel()
	c, err := i.connect(ctx)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { Cut(c.Conn) })()
	defer c.Close()
	req := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(req)
	req.Header.SetRequestURI(cfg.Path)
	req.Header.SetHost(i.Upstream.Cfg.URL.Host)
	req.UseHostHeader = true
	req.SetConnectionClose()
	until, _ := ctx.Deadline()
	body, err := c.exchange(req, until, func() {})
	if err == nil && body.Status != cfg.Status {
		err = fmt.Errorf("the answer to the check has status %d", body.Status)
	}
	return err
}
