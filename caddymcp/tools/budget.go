package tools

import (
	"context"
	"math"
)

// maxValues is how many values the arguments of one call may hold, those in
// JSON texts and the defaults included.
const maxValues = 100_000

// A budget bounds the work on the arguments of one call.
type budget struct {
	ctx   context.Context
	left  int   // values
	steps int   // since the context was looked at
	err   error // why the work must end, a refusal or the context's error
}

func newBudget(ctx context.Context) *budget { return &budget{ctx: ctx, left: maxValues} }

// unlimited is the budget for what an author wrote.
func unlimited() *budget { return &budget{ctx: context.Background(), left: math.MaxInt} }

// spend takes one value out of the budget.
func (b *budget) spend() error {
	if b.left--; b.left < 0 && b.err == nil {
		b.err = refuse("the arguments hold more than %d values: send fewer at once", maxValues)
	}
	return b.step()
}

// step looks at the context now and then.
func (b *budget) step() error {
	if b.steps++; b.steps >= 1000 && b.err == nil {
		b.steps, b.err = 0, b.ctx.Err()
	}
	return b.err
}
