"""An agent written with the official Python SDK: both bindings, 1.0 and (by the SDK's own layer) 0.3.

Prints the port that it listens on as its first line, and ends when its standard input does.
What it does is told by the first word of a message; `script.ts` says the same for the JavaScript agents.
"""

import asyncio
import logging
import socket
import sys
from collections import defaultdict

import uvicorn
from a2a.helpers import new_text_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2 as a2a
from google.protobuf.json_format import ParseDict
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

may_finish: dict[str, asyncio.Event] = defaultdict(asyncio.Event)


def text(value: str) -> list[a2a.Part]:
    return [a2a.Part(text=value)]


class Script(AgentExecutor):
    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        said = context.get_user_input()
        word = said.split(' ')[0]
        if word == 'hello':
            await event_queue.enqueue_event(new_text_message('Hello yourself', context_id=context.context_id))
            return
        if word == 'throw':
            raise RuntimeError('no model')

        task = TaskUpdater(event_queue, context.task_id, context.context_id)

        async def put(parts: list[a2a.Part], append: bool = False, last: bool = True) -> None:
            await task.add_artifact(parts, artifact_id='result', name='Result', append=append, last_chunk=last)

        if context.current_task is not None:
            await put(text(f'You answered {said}'))
            await task.complete()
            return
        submitted = a2a.Task(id=context.task_id, context_id=context.context_id, history=[context.message])
        submitted.status.state = a2a.TaskState.TASK_STATE_SUBMITTED
        await event_queue.enqueue_event(submitted)
        await task.start_work(task.new_agent_message(text('On it')))
        match word:
            case 'echo':
                await put(text(said.removeprefix('echo ')))
            case 'chunks':
                await put(text('One, '), last=False)
                await put(text('two, '), append=True, last=False)
                await put(text('three'), append=True)
            case 'files':
                data = a2a.Part()
                ParseDict({'data': {'answer': 42, 'list': [1, None]}}, data)
                await put([
                    a2a.Part(raw=b'hello', media_type='text/plain'),
                    a2a.Part(url='https://files.test/a.png', media_type='image/png'),
                    data,
                ])
            case 'ask':
                await task.requires_input(task.new_agent_message(text('Which city?')))
                return
            case 'fail':
                await task.failed(task.new_agent_message(text('The oven is cold')))
                return
            case 'break':
                await event_queue.enqueue_event(new_text_message('no message belongs here'))
                return
            case 'half':
                await put(text('One, '), last=False)
                await may_finish[context.task_id].wait()
                await put(text('two'), append=True)
            case _:
                await may_finish[context.task_id].wait()
                await put(text('At last'))
        await task.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


class Guard:
    """Whoever presents a token presents the right one."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope['type'] == 'http':
            presented = dict(scope['headers']).get(b'authorization', b'Bearer fresh')
            if presented != b'Bearer fresh':
                refusal = PlainTextResponse('no entry', 401, {'WWW-Authenticate': 'Bearer error="invalid_token"'})
                return await refusal(scope, receive, send)
        return await self.app(scope, receive, send)


async def finish(request: Request) -> PlainTextResponse:
    may_finish[request.path_params['task']].set()
    return PlainTextResponse('ok')


def card(origin: str) -> a2a.AgentCard:
    return ParseDict(
        {
            'name': 'Python agent',
            'description': 'Made with a2a-sdk',
            'version': '1.0.0',
            'supportedInterfaces': [
                {'url': f'{origin}{path}', 'protocolBinding': binding, 'protocolVersion': version}
                for version in ('1.0', '0.3')
                for path, binding in (('/rest', 'HTTP+JSON'), ('/rpc', 'JSONRPC'))
            ],
            'capabilities': {'streaming': True, 'pushNotifications': False},
            'defaultInputModes': ['text/plain'],
            'defaultOutputModes': ['text/plain'],
            'skills': [{'id': 'echo', 'name': 'Echo', 'description': 'Says it again', 'tags': ['test']}],
            'securitySchemes': {'key': {'apiKeySecurityScheme': {'location': 'header', 'name': 'x-key'}}},
        },
        a2a.AgentCard(),
    )


async def main() -> None:
    logging.disable(logging.CRITICAL)
    listener = socket.create_server(('127.0.0.1', 0))
    port = listener.getsockname()[1]
    agent_card = card(f'http://127.0.0.1:{port}')
    handler = DefaultRequestHandler(Script(), InMemoryTaskStore(), agent_card)
    app = Starlette(
        routes=[
            Route('/finish/{task}', finish, methods=['POST']),
            *create_agent_card_routes(agent_card),
            *create_jsonrpc_routes(handler, '/rpc', enable_v0_3_compat=True),
            *create_rest_routes(handler, path_prefix='/rest', enable_v0_3_compat=True),
        ],
        middleware=[Middleware(Guard)],
    )
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    print(port, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.should_exit = True
    await serving


asyncio.run(main())
