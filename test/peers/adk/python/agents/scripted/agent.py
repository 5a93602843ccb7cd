"""An agent without a model: the first word of a message says what it does, by `script.json`."""

import asyncio
import json
from pathlib import Path

from google.adk.agents import BaseAgent
from google.adk.agents.run_config import StreamingMode
from google.adk.events import Event
from google.genai import types

words = json.loads((Path(__file__).parents[3] / 'script.json').read_text())


def says(text):
    return {'content': {'role': 'model', 'parts': [{'text': text}]}}


class Scripted(BaseAgent):
    async def _run_async_impl(self, ctx):
        content = ctx.user_content
        event = lambda given: Event.model_validate(
            {'author': self.name, 'invocationId': ctx.invocation_id, 'branch': ctx.branch, **given}
        )
        for part in content.parts:
            if part.function_response is not None:
                answer = part.function_response
                yield event(says(f'{answer.name} says {json.dumps(answer.response, separators=(",", ":"))}'))
                return
        word = ''.join(part.text or '' for part in content.parts).split(' ')[0]
        if word == 'echo':
            parts = [part.model_dump(mode='json', by_alias=True, exclude_none=True) for part in content.parts]
            yield event(says(json.dumps({'parts': parts, 'state': ctx.session.state})))
            return
        for step in words.get(word, []):
            if 'throw' in step:
                raise RuntimeError(step['throw'])
            if 'wait' in step:
                await asyncio.sleep(step['wait'] / 1000)
            if 'save' in step:
                version = await ctx.artifact_service.save_artifact(
                    app_name=ctx.app_name,
                    user_id=ctx.user_id,
                    session_id=ctx.session.id,
                    filename=step['save'],
                    artifact=types.Part.model_validate(step['part']),
                )
                yield event({**says(step['text']), 'actions': {'artifactDelta': {step['save']: version}}})
            if 'event' in step:
                if step['event'].get('partial') and ctx.run_config.streaming_mode != StreamingMode.SSE:
                    continue
                yield event(step['event'])


root_agent = Scripted(name='scripted')
