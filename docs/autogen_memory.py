"""Think-in-Memory as the memory of an AutoGen agent.

Runs without a network: the model's replies are written here.

python docs/autogen_memory.py
"""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_core import CancellationToken
from autogen_core.models import SystemMessage
from autogen_ext.models.replay import ReplayChatCompletionClient

from osler.memory import MemorySettings
from osler.memory.autogen import AutoGenMemory


async def main() -> None:
    """Three turns; then what the model was shown at the last of them."""
    model = ReplayChatCompletionClient(
        ["Do you have a fever?", "Are you allergic to any medicine?", "Thank you."]
    )
    memory = AutoGenMemory("tim", settings=MemorySettings(budget=400))
    agent = AssistantAgent(
        "doctor", model_client=model, memory=[memory], system_message="You are a doctor."
    )
    for words in (
        "I have been coughing for three weeks.",
        "Yes, 38.5 °C since Monday.",
        "Penicillin gave me a rash.",
    ):
        reply = await agent.on_messages(
            [TextMessage(content=words, source="patient")], CancellationToken()
        )
        print(f"patient: {words}\ndoctor:  {reply.chat_message.to_text()}")
    seen = [
        message
        for message in model.create_calls[-1]["messages"]
        if isinstance(message, SystemMessage)
    ]
    print(f"\n{seen[-1].content}")


if __name__ == "__main__":
    asyncio.run(main())
