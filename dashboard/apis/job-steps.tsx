import { Loader } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './job-steps.module.css';
import type { Job } from './queries.ts';

const STEPS = ['queued', 'fetching', 'validating', 'converting', 'ended'] as const;

type StepState = 'done' | 'now' | 'failed' | 'later';

/** Which steps of a job are done. Of one that registered nothing, nobody knows at which step it ended. */
export function JobSteps({ job: { status, progress } }: { readonly job: Job }) {
  const { t } = useTranslation('apis');
  const hasFailed = status === 'failed' || status === 'confirmation_required';
  const at = progress === 1 ? STEPS.length - 1 : (STEPS as readonly string[]).indexOf(status);
  const stateOf = (step: number): StepState => {
    if (step > at || (hasFailed && step < at)) return 'later';
    if (step < at || (progress === 1 && !hasFailed)) return 'done';
    return hasFailed ? 'failed' : 'now';
  };
  return (
    <ol className={classes.root} aria-label={t('job.steps')}>
      {STEPS.map((step, number) => {
        const state = stateOf(number);
        return (
          <li
            key={step}
            className={classes.step}
            data-state={state}
            aria-current={state === 'now' ? 'step' : undefined}
          >
            <span className={classes.mark} aria-hidden>
              <Mark state={state} />
            </span>
            {step === 'ended' ? t(hasFailed ? `status.${status}` : 'job.ended') : t(`job.${step}`)}
          </li>
        );
      })}
    </ol>
  );
}

function Mark({ state }: { readonly state: StepState }) {
  if (state === 'done') return <IconCheck size={14} />;
  if (state === 'failed') return <IconX size={14} />;
  return state === 'now' ? <Loader size={14} /> : null;
}
