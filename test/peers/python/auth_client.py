"""The official Python SDK as a client with credentials: `auth_client.py URL BINDING SCHEME SECRET`.

Its interceptor chooses by the card where the secret goes. Prints the text of the answer's artifacts, or the error.
"""

import asyncio
import sys

import httpx
from a2a.client import ClientConfig, create_client
from a2a.client.auth import AuthInterceptor, CredentialService
from a2a.types import a2a_pb2 as a2a


class One(CredentialService):
    def __init__(self, scheme: str, secret: str) -> None:
        self.scheme, self.secret = scheme, secret

    async def get_credentials(self, security_scheme_name: str, context: object) -> str | None:
        return self.secret if security_scheme_name == self.scheme else None


async def main(url: str, binding: str, scheme: str, secret: str) -> None:
    async with httpx.AsyncClient(timeout=10) as http:
        config = ClientConfig(httpx_client=http, supported_protocol_bindings=[binding], use_client_preference=True)
        client = await create_client(url, config, interceptors=[AuthInterceptor(One(scheme, secret))])
        message = a2a.Message(message_id='m-1', role=a2a.ROLE_USER, parts=[a2a.Part(text='Who am I?')])
        texts = []
        try:
            async for event in client.send_message(a2a.SendMessageRequest(message=message)):
                texts += [part.text for part in event.artifact_update.artifact.parts]
            print(''.join(texts))
        except Exception as error:
            print(f'{type(error).__name__}: {error}')


asyncio.run(main(*sys.argv[1:]))
