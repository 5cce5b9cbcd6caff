package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"trawl/internal/seed"
	"trawl/selection/gnn"
)

// Run trains model, which has not been trained, on those of the training
// examples that are trainable, and leaves the best epoch in it: that of the
// highest accuracy over the validation examples, then the highest F1, then the
// earliest. Without validation examples it is the last epoch.
//
// Where Options.State names a folder, a training that was interrupted there goes
// on, and one that is done returns its result; the state of another training is
// an error. Run returns what ended ctx, wrapped, after it has written the state.
// The model of a training that fails is of no use. Nobody else uses the model, or
// the folder, meanwhile.
func Run(ctx context.Context, model *gnn.Model[float32], train, validation []Example, features gnn.Features, o Options) (Result, error) {
	result, err := run(ctx, model, train, validation, features, o)
	if err != nil {
		return Result{}, fmt.Errorf("train: %w", err)
	}
	return result, nil
}

func run(ctx context.Context, model *gnn.Model[float32], train, validation []Example, features gnn.Features, o Options) (Result, error) {
	t, err := newTrainer(model, train, validation, features, o)
	if err != nil {
		return Result{}, err
	}
	if err := errors.Join(t.run(ctx), t.close()); err != nil {
		return Result{}, err
	}
	return Result{Graphs: len(t.train), PosWeight: t.losses.PosWeight, Epochs: t.at.Epochs, Best: t.at.Best}, nil
}

// A trainer is one training under way. What changes is in at, in the model, in
// the optimizer and in best, and all of it is in the state on disk.
type trainer struct {
	learner[float32]
	o          Options
	train      []Example
	validation []Example
	stages     []stage
	begin      [][]float32 // the parameters at the beginning
	keeper     *keeper     // nil if no state is kept

	at        position
	optimizer *AdamW[float32]
	best      [][]float32 // the parameters of the best epoch of the stage; nil if none is done
	clock     clock
}

func newTrainer(model *gnn.Model[float32], train, validation []Example, features gnn.Features, o Options) (*trainer, error) {
	variant := model.Config().Variant
	if err := checkAll(train, variant); err != nil {
		return nil, fmt.Errorf("training %w", err)
	}
	if err := checkAll(validation, variant); err != nil {
		return nil, fmt.Errorf("validation %w", err)
	}
	t := &trainer{o: o.withDefaults(variant), validation: validation}
	t.train = trainable(train, model.Config().Ablation.MergeAnswers)
	if err := t.o.check(); err != nil {
		return nil, err
	}
	if len(t.train) == 0 {
		return nil, fmt.Errorf("none of %d pools has both a right and a wrong answer, so there is nothing to learn from: use more questions, more rollouts of each, or harder ones", len(train))
	}
	t.learner = learner[float32]{model: model, features: features, micro: t.o.Micro}
	t.losses = Losses{Variant: variant, PosWeight: posWeight(t.train)}
	t.stages = stages(t.o)
	t.begin = values(model)
	t.clock = newClock(t.total())
	t.enter()
	if t.o.State == "" {
		return t, nil
	}
	var err error
	if t.keeper, err = newKeeper(t); err != nil {
		return nil, err
	}
	if err := t.keeper.load(t); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// close lets others use the folder of the state.
func (t *trainer) close() error {
	if t.keeper == nil {
		return nil
	}
	return t.keeper.lock.Close()
}

// run trains from where t is to the end.
func (t *trainer) run(ctx context.Context) error {
	for t.at.Stage < len(t.stages) {
		for t.at.Epoch < t.o.Epochs {
			if err := t.epoch(ctx); err != nil {
				return t.stopped(ctx, err)
			}
		}
		t.leave()
		if err := t.save(); err != nil {
			return err
		}
	}
	return nil
}

// epoch does what is left of an epoch.
func (t *trainer) epoch(ctx context.Context) error {
	order := t.chance("order").Perm(len(t.train))
	for t.at.Batch < t.batches() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.step(order); err != nil {
			return err
		}
		if err := t.saveIfDue(); err != nil {
			return err
		}
	}
	score, err := t.score(ctx, t.validation)
	if err != nil {
		return fmt.Errorf("epoch %d: validation: %w", t.at.Epoch+1, err)
	}
	t.finish(score)
	return t.save()
}

// step trains on one batch.
func (t *trainer) step(order []int) error {
	lo := t.at.Batch * t.o.Batch
	batch := make([]Example, 0, min(t.o.Batch, len(order)))
	for _, i := range order[lo:min(lo+t.o.Batch, len(order))] {
		batch = append(batch, t.train[i])
	}
	loss, err := t.gradient(batch, t.chance("dropout", t.at.Batch))
	if err == nil && !isFinite(loss.Total()) {
		err = fmt.Errorf("the loss is %g (bce %g, listwise %g, hard %g): try a lower learning rate than %g, and look at the embeddings for what is no number",
			loss.Total(), loss.BCE, loss.Listwise, loss.Hard, t.o.LearningRate)
	}
	if err != nil {
		return fmt.Errorf("epoch %d, batch %d of %d: %w", t.at.Epoch+1, t.at.Batch+1, t.batches(), err)
	}
	t.optimizer.Step()
	t.model.Changed()
	t.at.Sum = t.at.Sum.Plus(loss.Times(float64(len(batch))))
	t.at.Graphs += len(batch)
	t.at.Batch++
	t.report(len(batch), Progress{Loss: loss})
	return nil
}

// finish ends an epoch: its score is noted, and its parameters if it is the best.
func (t *trainer) finish(score Score) {
	epoch := Epoch{Loss: t.at.Sum.Times(1 / float64(t.at.Graphs)), Validation: score}
	best := t.at.Best == 0 || len(t.validation) == 0 || score.betterThan(t.at.Epochs[t.at.Best-1].Validation)
	if best {
		t.at.Best = t.at.Epoch + 1
		t.best = values(t.model)
	}
	t.at.Epochs = append(t.at.Epochs, epoch)
	t.report(0, Progress{Loss: epoch.Loss, Validation: &score, Best: best})
	t.at.Epoch++
	t.at.Batch, t.at.Sum, t.at.Graphs = 0, Loss{}, 0
}

// chance returns the source for one purpose in the epoch. Each batch has its own,
// so that a training can go on between any two.
func (t *trainer) chance(purpose string, parts ...any) *rand.Rand {
	return seed.Rand(t.o.Seed, append([]any{"train", purpose, t.at.Stage, t.at.Epoch}, parts...)...)
}

// stopped makes the error of a training that ends early. What was done is kept.
func (t *trainer) stopped(ctx context.Context, err error) error {
	if ctx.Err() == nil || t.keeper == nil {
		return err
	}
	if saved := t.save(); saved != nil {
		return errors.Join(err, saved)
	}
	return fmt.Errorf("interrupted in epoch %d after batch %d of %d, the same command goes on from there: %w", t.at.Epoch+1, t.at.Batch, t.batches(), err)
}
