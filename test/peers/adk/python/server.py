"""What `adk api_server agents` serves, with the argument, if any, as its default application.

Prints its port as its first line, and ends when its standard input does.
"""

import asyncio
import logging
import os
import socket
import sys
from pathlib import Path

# off, whatever the machine
os.environ['OTEL_SDK_DISABLED'] = 'true'
if len(sys.argv) > 1:
    os.environ['ADK_DEFAULT_APP_NAME'] = sys.argv[1]

import uvicorn
from google.adk.cli.fast_api import get_fast_api_app


async def main() -> None:
    logging.disable(logging.CRITICAL)
    listener = socket.create_server(('127.0.0.1', 0))
    port = listener.getsockname()[1]
    app = get_fast_api_app(
        agents_dir=str(Path(__file__).parent / 'agents'),
        session_service_uri='memory://',
        artifact_service_uri='memory://',
        memory_service_uri='memory://',
        use_local_storage=False,
        web=False,
        bind_host='127.0.0.1',
        port=port,
    )
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    print(port, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.should_exit = True
    await serving


asyncio.run(main())
