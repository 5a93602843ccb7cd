"""The agent with a model, as an application that is declared resumable."""

import sys
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.apps import App, ResumabilityConfig

sys.path.append(str(Path(__file__).parents[1]))
from llm.agent import Model, root_agent as llm

app = App(
    name='resumable',
    root_agent=LlmAgent(name='resumable', model=Model(model='none'), tools=llm.tools),
    resumability_config=ResumabilityConfig(is_resumable=True),
)
