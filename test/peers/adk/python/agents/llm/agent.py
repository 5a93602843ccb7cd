"""An agent whose model calls the tool that it is told to, and says what the tool gave."""

import json

from fastapi.openapi.models import OAuth2, OAuthFlowAuthorizationCode, OAuthFlows
from google.adk.agents import LlmAgent
from google.adk.auth import AuthConfig, AuthCredential, AuthCredentialTypes, OAuth2Auth
from google.adk.models import BaseLlm, LlmResponse
from google.adk.tools import FunctionTool, LongRunningFunctionTool, ToolContext, request_input

calls = {
    'search': {'query': 'cats'},
    'pay': {'euro': 9},
    'ask_boss': {'what': 'a rise'},
    'adk_request_input': {'message': 'Which city?'},
    'mail': {},
}


def response(part, partial=None):
    return LlmResponse.model_validate({'content': {'role': 'model', 'parts': [part]}, 'partial': partial})


class Model(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        parts = llm_request.contents[-1].parts
        answers = [part.function_response for part in parts if part.function_response is not None]
        word = ''.join(part.text or '' for part in parts).split(' ')[0]
        if not answers and word in calls:
            yield response({'functionCall': {'name': word, 'args': calls[word]}})
            return
        text = (
            f'{answers[0].name} gave {json.dumps(answers[0].response, separators=(",", ":"))}'
            if answers
            else f'You said {word}'
        )
        if stream:
            yield response({'text': text[:4]}, partial=True)
            yield response({'text': text[4:]}, partial=True)
        yield response({'text': text})


auth_config = AuthConfig(
    auth_scheme=OAuth2(
        flows=OAuthFlows(
            authorizationCode=OAuthFlowAuthorizationCode(
                authorizationUrl='http://127.0.0.1:9/authorize',
                tokenUrl='http://127.0.0.1:9/token',
                scopes={'read': 'read'},
            )
        )
    ),
    raw_auth_credential=AuthCredential(
        auth_type=AuthCredentialTypes.OAUTH2, oauth2=OAuth2Auth(client_id='demo', client_secret='shh')
    ),
)


def search(query: str) -> dict:
    return {'found': query}


def pay(euro: int) -> dict:
    return {'paid': euro}


def ask_boss(what: str) -> dict:
    return {'status': 'pending'}


def mail(tool_context: ToolContext) -> dict:
    credential = tool_context.get_auth_response(auth_config)
    if credential is not None:
        return {'signedIn': credential.oauth2.auth_response_uri}
    tool_context.request_credential(auth_config)
    return {'status': 'waiting'}


root_agent = LlmAgent(
    name='llm',
    model=Model(model='none'),
    tools=[
        search,
        FunctionTool(pay, require_confirmation=True),
        LongRunningFunctionTool(ask_boss),
        request_input,
        mail,
    ],
)
